package dev.sluice.consumer.projection;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.UUID;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code order_status}, and as well what one event says of it.
 * <p>
 * Events merge by taking the greatest, and the earliest acceptance with the fingerprint
 * of what was accepted then, so that their order, repetition and division into batches
 * make no difference. {@code saved} is above all: the backend has the order, whatever
 * another consumer with another clock says later, and also if the order is accepted once
 * more. Below, the later event is greater, then the one further on.
 *
 * @param id the order's id
 * @param customerId whose order it is
 * @param status how far it has come
 * @param attempts deliveries begun
 * @param acceptedAt when a gateway took it; null where no event says so
 * @param updatedAt when that status was reached, in microseconds as PostgreSQL keeps it
 * @param reason why it is not saved, or null
 * @param payload the order's JSON if it has failed and was readable, or null
 * @param fingerprint of the order first accepted; null where no event says so
 */
record StatusRow(UUID id, String customerId, OrderStatus status, int attempts, @Nullable Instant acceptedAt,
		Instant updatedAt, @Nullable String reason, @Nullable String payload, @Nullable Fingerprint fingerprint) {

	private static final Instant EARLIEST = Instant.EPOCH;

	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

	/** {@link StatusTable} has the same in SQL. */
	private static final Comparator<StatusRow> GREATER = Comparator
		.comparing((StatusRow row) -> row.status == OrderStatus.SAVED)
		.thenComparing(StatusRow::updatedAt)
		.thenComparing(StatusRow::rank)
		.thenComparing(StatusRow::attempts);

	/** {@link StatusTable} has the same in SQL. */
	private static final Comparator<StatusRow> ACCEPTED_EARLIER = Comparator
		.comparing(StatusRow::acceptedAt, Comparator.nullsLast(Comparator.naturalOrder()))
		.thenComparing(StatusRow::fingerprint, Comparator.nullsLast(Comparator.naturalOrder()));

	/**
	 * @throws IllegalArgumentException if PostgreSQL could not keep it, so that one bad
	 * record does not hold up all others
	 */
	StatusRow {
		if (attempts < 0) {
			throw new IllegalArgumentException("attempts is negative: " + attempts);
		}
		customerId = withoutNul(customerId);
		reason = (reason != null) ? withoutNul(reason) : null;
		payload = (payload != null) ? withoutNul(payload) : null;
		updatedAt = storable(updatedAt);
		acceptedAt = (acceptedAt != null) ? storable(acceptedAt) : null;
	}

	static StatusRow of(OrderEvent event, @Nullable Fingerprint fingerprint) {
		return new StatusRow(event.id(), event.customerId(), OrderStatus.ACCEPTED, 0, event.acceptedAt(),
				event.acceptedAt(), null, null, fingerprint);
	}

	static StatusRow of(OrderOutcome outcome) {
		return new StatusRow(outcome.orderId(), outcome.customerId(), outcome.status(), outcome.attempts(), null,
				outcome.at(), outcome.reason(), outcome.order(), null);
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

	/** What both say of the same order. */
	StatusRow merge(StatusRow other) {
		StatusRow winner = (GREATER.compare(this, other) >= 0) ? this : other;
		StatusRow first = (ACCEPTED_EARLIER.compare(this, other) <= 0) ? this : other;
		return new StatusRow(winner.id, winner.customerId, winner.status, winner.attempts, first.acceptedAt,
				winner.updatedAt, winner.reason, winner.payload, first.fingerprint);
	}

	private int rank() {
		return switch (this.status) {
			case ACCEPTED -> 0;
			case RETRYING -> 1;
			case FAILED -> 2;
			case SAVED -> 3;
		};
	}

}
