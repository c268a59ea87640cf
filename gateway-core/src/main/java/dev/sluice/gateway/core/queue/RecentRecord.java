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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A record about an order: the order was either accepted or saved synchronously.
 *
 * @param offset the record's offset
 * @param id the order's id
 * @param acceptance null if the record is an outcome
 * @param save null if the record is an order
 */
record RecentRecord(long offset, UUID id, @Nullable Acceptance acceptance, @Nullable SyncSave save) {

	private static final String SYNC_SUFFIX = "/sync";

	/**
	 * Parses a record of {@link Topics#ORDERS} or {@link Topics#ORDER_OUTCOMES}.
	 * @return the parsed record; null if it cannot be read or is not needed
	 */
	static @Nullable RecentRecord of(ConsumerRecord<byte[], byte[]> record, JsonMapper json) {
		try {
			return record.topic().equals(Topics.ORDERS) ? order(record) : outcome(record, json);
		}
		catch (IllegalArgumentException | DateTimeException | JacksonException _) {
			// The delivery of orders makes an unreadable one a dead letter.
			return null;
		}
	}

	private static @Nullable RecentRecord order(ConsumerRecord<byte[], byte[]> record) {
		String id = text(record, OrderHeaders.ID);
		String time = text(record, OrderHeaders.TIME);
		byte[] value = record.value();
		if (id == null || time == null || value == null) {
			return null;
		}
		UUID orderId = UUID.fromString(id);
		// The precision of PostgreSQL.
		Instant acceptedAt = Instant.parse(time).truncatedTo(ChronoUnit.MICROS);
		Fingerprint fingerprint = OrderIds.isDerived(orderId) ? Fingerprint.ofJson(value) : null;
		return new RecentRecord(record.offset(), orderId,
				new Acceptance(fingerprint, acceptedAt, acceptedAt, record.offset(), record.offset()), null);
	}

	private static @Nullable RecentRecord outcome(ConsumerRecord<byte[], byte[]> record, JsonMapper json) {
		byte[] key = record.key();
		byte[] value = record.value();
		if (key == null || value == null || !new String(key, StandardCharsets.UTF_8).endsWith(SYNC_SUFFIX)) {
			return null;
		}
		OrderOutcome outcome = json.readValue(value, OrderOutcome.class);
		// A JSON null becomes a null that the type of the record does not allow.
		if (outcome == null || outcome.orderId() == null || outcome.at() == null) {
			return null;
		}
		String hex = outcome.fingerprint();
		Fingerprint fingerprint = (hex != null) ? new Fingerprint(hex) : null;
		return new RecentRecord(record.offset(), outcome.orderId(), null,
				new SyncSave(fingerprint, outcome.at(), record.offset()));
	}

	private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.UTF_8) : null;
	}

}
