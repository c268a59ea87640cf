package dev.sluice.contract;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * The value of a record of {@link Topics#ORDER_OUTCOMES}: how far the delivery of an
 * order has come. The projection merges these with the records of {@link Topics#ORDERS},
 * in any order and any number of times.
 *
 * @param orderId the order's id
 * @param customerId the order's customer; {@code unknown} if an unreadable record does
 * not contain it
 * @param status {@link OrderStatus#RETRYING}, {@link OrderStatus#SAVED} or
 * {@link OrderStatus#FAILED}
 * @param attempts number of deliveries started; 0 only for an unreadable record
 * @param at when the status was reached: for a saved order when the backend saved it, by
 * the backend's clock; else by the consumer's clock
 * @param acceptedAt {@link OrderHeaders#TIME} of the record that was delivered, which
 * distinguishes a redelivery from the delivery before it; null for a synchronous order,
 * and for a record without the header
 * @param reason why it was not saved; null if it was
 * @param order the order as JSON if it has failed and was readable, so that it can be
 * delivered again; else null
 * @param fingerprint {@link Fingerprint#hex()} of an order with an idempotency key; else
 * null
 * @param conflict {@link Fingerprint#hex()} of an order that the backend refuses because
 * it has saved another one under the id; else null
 */
@JsonInclude(Include.NON_NULL)
public record OrderOutcome(UUID orderId, String customerId, OrderStatus status, int attempts, Instant at,
		@Nullable Instant acceptedAt, @Nullable String reason, @Nullable String order, @Nullable String fingerprint,
		@Nullable String conflict) {

	/** The outcome of an order without an idempotency key that was delivered. */
	public OrderOutcome(UUID orderId, String customerId, OrderStatus status, int attempts, Instant at,
			@Nullable Instant acceptedAt, @Nullable String reason, @Nullable String order) {
		this(orderId, customerId, status, attempts, at, acceptedAt, reason, order, null, null);
	}

	/**
	 * The outcome of an order that the backend has saved and that was not delivered from
	 * Kafka.
	 */
	public static OrderOutcome savedSync(UUID orderId, String customerId, Instant savedAt,
			@Nullable Fingerprint fingerprint) {
		return new OrderOutcome(orderId, customerId, OrderStatus.SAVED, 1, savedAt, null, null, null,
				(fingerprint != null) ? fingerprint.hex() : null, null);
	}

	/**
	 * The backend has saved another order under the id than the one with this payload.
	 */
	public static OrderOutcome conflict(UUID orderId, String customerId, Instant at, Fingerprint payload) {
		return new OrderOutcome(orderId, customerId, OrderStatus.SAVED, 1, at, null, null, null, null, payload.hex());
	}

	/**
	 * The key of the record: order, status and acceptance. Compaction keeps the last
	 * record of a key, so a key of the order alone would let the late {@code retrying} of
	 * a consumer that was frozen erase the {@code saved} of another one. A conflict has a
	 * key of its own.
	 */
	public String key() {
		String acceptance = (this.acceptedAt != null) ? this.acceptedAt.toString() : "sync";
		String outcome = (this.conflict != null) ? "conflict"
				: this.status.name().toLowerCase(Locale.ROOT) + "/" + acceptance;
		return this.orderId + "/" + outcome;
	}

}
