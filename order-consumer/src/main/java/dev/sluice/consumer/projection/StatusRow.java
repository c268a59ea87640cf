package dev.sluice.consumer.projection;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.regex.Pattern;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code order_status}, or the part of it that one event contains.
 * {@link StatusTable} merges them.
 *
 * @param id the order's id
 * @param customerId the customer of the order
 * @param status the order's status
 * @param attempts number of attempts
 * @param acceptedAt when a gateway first accepted it; null for a synchronous order
 * @param acceptance the acceptance that the status belongs to; where the outcome does not
 * name one, the time of the outcome
 * @param updatedAt when that status was reached, in microseconds as PostgreSQL keeps it
 * @param outcomeOffset offset of the outcome that gave the status; {@value #NO_OUTCOME}
 * if that was the order's own record
 * @param reason why it is not saved, or null
 * @param payload the order's JSON if it has failed and was readable, or null
 * @param fingerprint of the payload that has the status; null if it is not known
 * @param conflict the fingerprint of a payload that the backend refused because it has
 * saved another one, or null
 */
record StatusRow(UUID id, String customerId, OrderStatus status, int attempts, @Nullable Instant acceptedAt,
		Instant acceptance, Instant updatedAt, long outcomeOffset, @Nullable String reason, @Nullable String payload,
		@Nullable Fingerprint fingerprint, @Nullable Fingerprint conflict) {

	static final long NO_OUTCOME = -1;

	private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");

	private static final Instant EARLIEST = Instant.EPOCH;

	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

	/**
	 * @throws IllegalArgumentException if PostgreSQL cannot store the row; one bad record
	 * must not block all others
	 */
	StatusRow {
		if (attempts < 0) {
			throw new IllegalArgumentException("attempts is negative: " + attempts);
		}
		customerId = withoutNul(customerId);
		reason = (reason != null) ? withoutNul(reason) : null;
		payload = (payload != null) ? withoutNul(payload) : null;
		updatedAt = storable(updatedAt);
		acceptance = storable(acceptance);
		acceptedAt = (acceptedAt != null) ? storable(acceptedAt) : null;
	}

	static StatusRow of(OrderEvent event, Fingerprint fingerprint) {
		return new StatusRow(event.id(), event.customerId(), OrderStatus.ACCEPTED, 0, event.acceptedAt(),
				event.acceptedAt(), event.acceptedAt(), NO_OUTCOME, null, null, fingerprint, null);
	}

	static StatusRow of(OrderOutcome outcome, long offset) {
		Instant acceptance = (outcome.acceptedAt() != null) ? outcome.acceptedAt() : outcome.at();
		return new StatusRow(outcome.orderId(), outcome.customerId(), outcome.status(), outcome.attempts(),
				outcome.acceptedAt(), acceptance, outcome.at(), offset, outcome.reason(), outcome.order(),
				fingerprint(outcome.fingerprint()), fingerprint(outcome.conflict()));
	}

	private static @Nullable Fingerprint fingerprint(@Nullable String hex) {
		if (hex != null && !FINGERPRINT.matcher(hex).matches()) {
			throw new IllegalArgumentException("the fingerprint is malformed: " + hex);
		}
		return (hex != null) ? new Fingerprint(hex) : null;
	}

	private static String withoutNul(String text) {
		return (text.indexOf('\0') < 0) ? text : text.replace("\0", "");
	}

	private static Instant storable(Instant time) {
		if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
			throw new IllegalArgumentException("time out of range: " + time);
		}
		return time.truncatedTo(ChronoUnit.MICROS);
	}

}
