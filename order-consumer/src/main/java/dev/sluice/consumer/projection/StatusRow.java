package dev.sluice.consumer.projection;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code order_status}, or the part of it that one event contains.
 * <p>
 * {@code saved} wins: the backend has the order, whatever another consumer publishes
 * later. The earlier of two saves wins. Otherwise the status of the later acceptance wins
 * (a redelivery is accepted later). Within one acceptance the more advanced status wins,
 * and for the same status the outcome that is later in the topic, which compaction keeps.
 * The clock of a consumer has no influence, so outcomes can be merged in any order and
 * repeatedly.
 * <p>
 * A record with another fingerprint than the row is a conflict and changes nothing: the
 * first record in the topic counts. The records of one order are in one partition and are
 * read in its order, so this is the first record read. An outcome counts before a record
 * with another fingerprint, because it was delivered. A payload that the backend refused
 * for another one is not the order's.
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

	/** {@link StatusTable} contains the same rule in SQL. */
	private static final Comparator<StatusRow> GREATER = Comparator.comparing(StatusRow::saved)
		.thenComparing(StatusRow::savedAt, Comparator.nullsFirst(Comparator.reverseOrder()))
		.thenComparing(StatusRow::acceptance)
		.thenComparing(StatusRow::rank)
		.thenComparing(StatusRow::outcomeOffset);

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

	/**
	 * Merges a row of the same order that was read after this one. {@link StatusTable}
	 * contains the same rule in SQL.
	 */
	StatusRow merge(StatusRow next) {
		boolean other = this.fingerprint != null && next.fingerprint != null
				&& !this.fingerprint.equals(next.fingerprint);
		if (other && next.isRecord()) {
			return this;
		}
		StatusRow winner = ((other && isRecord()) || GREATER.compare(this, next) < 0) ? next : this;
		Fingerprint refused = Stream.of(this, next)
			.map(StatusRow::conflict)
			.filter(Objects::nonNull)
			.max(Comparator.naturalOrder())
			.orElse(null);
		Fingerprint payload = Stream.of(winner, this, next)
			.map(StatusRow::fingerprint)
			.filter((known) -> known != null && !known.equals(refused))
			.findFirst()
			.orElse(null);
		return new StatusRow(winner.id, winner.customerId, winner.status, winner.attempts,
				earlier(this.acceptedAt, next.acceptedAt), winner.acceptance, winner.updatedAt, winner.outcomeOffset,
				winner.reason, winner.payload, payload, refused);
	}

	private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return one.isBefore(other) ? one : other;
	}

	/** Whether its status is that of the order's own record. */
	boolean isRecord() {
		return this.outcomeOffset == NO_OUTCOME;
	}

	private boolean saved() {
		return this.status == OrderStatus.SAVED;
	}

	private @Nullable Instant savedAt() {
		return saved() ? this.updatedAt : null;
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
