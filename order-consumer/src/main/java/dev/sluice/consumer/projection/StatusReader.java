package dev.sluice.consumer.projection;

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
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** Folds records of both topics to one row for each order. */
final class StatusReader {

	private final ObjectReader json;

	StatusReader(JsonMapper json) {
		this.json = json.readerFor(OrderOutcome.class);
	}

	/**
	 * @param skipped told of each record that says nothing of any order: delivery lays
	 * those of {@code orders} into the dead letters
	 */
	Collection<StatusRow> fold(List<ConsumerRecord<byte[], byte[]>> records, Consumer<ConsumerRecord<?, ?>> skipped) {
		Map<UUID, StatusRow> rows = new HashMap<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			try {
				StatusRow row = read(record);
				rows.merge(row.id(), row, StatusRow::merge);
			}
			catch (IllegalArgumentException ex) {
				skipped.accept(record);
			}
		}
		return rows.values();
	}

	private StatusRow read(ConsumerRecord<byte[], byte[]> record) {
		return record.topic().equals(Topics.ORDERS) ? order(record) : outcome(record.value());
	}

	private static StatusRow order(ConsumerRecord<byte[], byte[]> record) {
		byte[] value = record.value();
		return StatusRow.of(OrderEvent.of(record), (value != null) ? Fingerprint.ofJson(value) : null);
	}

	// A JSON null becomes a null that the record's type does not allow.
	@SuppressWarnings({ "ConstantValue", "NullAway" })
	private StatusRow outcome(byte @Nullable [] value) {
		if (value == null) {
			throw new IllegalArgumentException("the value is missing");
		}
		OrderOutcome outcome;
		try {
			outcome = this.json.readValue(value);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("the value is no outcome", ex);
		}
		if (outcome == null || outcome.orderId() == null || outcome.customerId() == null || outcome.status() == null
				|| outcome.at() == null) {
			throw new IllegalArgumentException("the outcome is not complete");
		}
		return StatusRow.of(outcome);
	}

}
