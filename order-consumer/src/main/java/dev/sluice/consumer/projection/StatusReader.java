package dev.sluice.consumer.projection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** Reads records of both topics as rows, one for each record. */
final class StatusReader {

	private final ObjectReader json;

	StatusReader(JsonMapper json) {
		this.json = json.readerFor(OrderOutcome.class);
	}

	/**
	 * @param skipped called for each unreadable record; the delivery makes those of
	 * {@code orders} dead letters
	 * @return collections of rows, to be merged one after another; the rows of a
	 * collection are of different orders, because a statement changes no row twice
	 */
	List<Collection<StatusRow>> read(Iterable<ConsumerRecord<byte[], byte[]>> records,
			Consumer<ConsumerRecord<?, ?>> skipped) {
		List<StatusRow> events = new ArrayList<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			try {
				events.add(read(record));
			}
			catch (IllegalArgumentException ex) {
				skipped.accept(record);
			}
		}
		return layers(events);
	}

	static List<Collection<StatusRow>> layers(List<StatusRow> events) {
		List<Collection<StatusRow>> layers = new ArrayList<>();
		Map<UUID, Integer> seen = new HashMap<>();
		for (StatusRow row : events) {
			int layer = seen.merge(row.id(), 1, Integer::sum) - 1;
			if (layer == layers.size()) {
				layers.add(new ArrayList<>());
			}
			layers.get(layer).add(row);
		}
		return layers;
	}

	private StatusRow read(ConsumerRecord<byte[], byte[]> record) {
		return record.topic().equals(Topics.ORDERS) ? order(record) : outcome(record);
	}

	private static StatusRow order(ConsumerRecord<byte[], byte[]> record) {
		byte[] value = record.value();
		return StatusRow.of(OrderEvent.of(record), Fingerprint.ofJson((value != null) ? value : new byte[0]));
	}

	// A JSON null becomes a null that the type of the record does not allow.
	@SuppressWarnings({ "ConstantValue", "NullAway" })
	private StatusRow outcome(ConsumerRecord<byte[], byte[]> record) {
		byte[] value = record.value();
		if (value == null) {
			throw new IllegalArgumentException("the value is missing");
		}
		OrderOutcome outcome;
		try {
			outcome = this.json.readValue(value);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("the value is not an outcome", ex);
		}
		if (outcome == null || outcome.orderId() == null || outcome.customerId() == null || outcome.status() == null
				|| outcome.at() == null) {
			throw new IllegalArgumentException("the outcome is incomplete");
		}
		return StatusRow.of(outcome, record.offset());
	}

}
