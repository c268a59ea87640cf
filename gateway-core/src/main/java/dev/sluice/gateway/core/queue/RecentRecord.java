package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.queue.RecentOrders.Acceptance;
import dev.sluice.gateway.core.queue.RecentOrders.SyncSave;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A record about an order: the order was either accepted or saved synchronously.
 *
 * @param partition the record's partition
 * @param offset the record's offset
 * @param timestamp the record's timestamp, in milliseconds
 * @param id the order's id
 * @param acceptance null if the record is an outcome
 * @param save null if the record is an order
 */
record RecentRecord(TopicPartition partition, long offset, long timestamp, UUID id, @Nullable Acceptance acceptance,
		@Nullable SyncSave save) {

	private static final String SYNC_SUFFIX = "/sync";

	/**
	 * Parses a record of {@link Topics#ORDERS} or {@link Topics#ORDER_OUTCOMES}.
	 * @return the parsed record; null if it cannot be read or is not needed
	 */
	static @Nullable RecentRecord of(ConsumerRecord<byte[], byte[]> record, JsonMapper json) {
		return record.topic().equals(Topics.ORDERS) ? order(record) : outcome(record, json);
	}

	private static @Nullable RecentRecord order(ConsumerRecord<byte[], byte[]> record) {
		UUID id = id(text(record, OrderHeaders.ID));
		Instant acceptedAt = time(text(record, OrderHeaders.TIME));
		byte[] value = record.value();
		if (id == null || acceptedAt == null || value == null) {
			// The delivery of orders makes it a dead letter.
			return null;
		}
		Fingerprint fingerprint = OrderIds.isDerived(id) ? Fingerprint.ofJson(value) : null;
		Acceptance acceptance = new Acceptance(fingerprint, acceptedAt, acceptedAt, record.offset(), record.offset());
		return new RecentRecord(partition(record), record.offset(), record.timestamp(), id, acceptance, null);
	}

	private static @Nullable RecentRecord outcome(ConsumerRecord<byte[], byte[]> record, JsonMapper json) {
		byte[] key = record.key();
		byte[] value = record.value();
		if (key == null || value == null || !new String(key, StandardCharsets.UTF_8).endsWith(SYNC_SUFFIX)) {
			return null;
		}
		SyncSave save;
		UUID id;
		try {
			OrderOutcome outcome = json.readValue(value, OrderOutcome.class);
			// A JSON null becomes a null that the type of the record does not allow.
			if (outcome == null || outcome.orderId() == null || outcome.at() == null) {
				return null;
			}
			String fingerprint = outcome.fingerprint();
			id = outcome.orderId();
			save = new SyncSave((fingerprint != null) ? new Fingerprint(fingerprint) : null, outcome.at(),
					record.offset());
		}
		catch (JacksonException ex) {
			return null;
		}
		return new RecentRecord(partition(record), record.offset(), record.timestamp(), id, null, save);
	}

	private static TopicPartition partition(ConsumerRecord<?, ?> record) {
		return new TopicPartition(record.topic(), record.partition());
	}

	private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.UTF_8) : null;
	}

	private static @Nullable UUID id(@Nullable String text) {
		try {
			return (text != null) ? UUID.fromString(text) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static @Nullable Instant time(@Nullable String text) {
		try {
			// The precision of PostgreSQL.
			return (text != null) ? Instant.parse(text).truncatedTo(ChronoUnit.MICROS) : null;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

}
