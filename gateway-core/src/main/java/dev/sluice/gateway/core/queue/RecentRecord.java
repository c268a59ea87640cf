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
 * What a topic says of an order: {@link Topics#ORDERS} that it was accepted,
 * {@link Topics#ORDER_OUTCOMES} that it was saved synchronously.
 *
 * @param id the order's id
 * @param fingerprint the payload's, from its first record; null if its id is not derived
 * from an idempotency key
 * @param first when it was accepted, or saved, by the backend's clock
 * @param last when it was accepted again for redelivery, else the same as {@code first}
 * @param firstOffset the offset of its first record
 * @param lastOffset the offset of its last record
 */
public record RecentRecord(UUID id, @Nullable Fingerprint fingerprint, Instant first, Instant last, long firstOffset,
		long lastOffset) {

	private static final String SYNC_SUFFIX = "/sync";

	/** The only record of an order. */
	public RecentRecord(UUID id, @Nullable Fingerprint fingerprint, Instant time, long offset) {
		this(id, fingerprint, time, time, offset, offset);
	}

	/**
	 * A later record with another payload is not an acceptance: the first one counts.
	 */
	RecentRecord merge(RecentRecord other) {
		RecentRecord earlier = (this.firstOffset <= other.firstOffset) ? this : other;
		RecentRecord later = (earlier == this) ? other : this;
		boolean same = later.fingerprint == null || later.fingerprint.equals(earlier.fingerprint);
		Instant last = (same && later.last.isAfter(earlier.last)) ? later.last : earlier.last;
		return new RecentRecord(this.id, earlier.fingerprint, earlier.first, last, earlier.firstOffset,
				Math.max(this.lastOffset, other.lastOffset));
	}

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
		Fingerprint fingerprint = OrderIds.isDerived(orderId) ? Fingerprint.ofJson(value) : null;
		// The precision of PostgreSQL.
		return new RecentRecord(orderId, fingerprint, Instant.parse(time).truncatedTo(ChronoUnit.MICROS),
				record.offset());
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
		return new RecentRecord(outcome.orderId(), (hex != null) ? new Fingerprint(hex) : null, outcome.at(),
				record.offset());
	}

	private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.UTF_8) : null;
	}

}
