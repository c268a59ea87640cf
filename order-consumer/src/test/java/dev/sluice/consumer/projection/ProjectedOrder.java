package dev.sluice.consumer.projection;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.status.KeyUse;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The row of one order, merged by the rule of {@link StatusTable} in Java.
 * {@code ProjectionIT} shows that PostgreSQL merges alike.
 */
public final class ProjectedOrder {

	private static final StatusReader READER = new StatusReader(JsonMapper.shared());

	/** Which of two statuses is the order's. */
	static final Comparator<StatusRow> GREATER = Comparator
		.comparing((StatusRow row) -> row.status() == OrderStatus.SAVED)
		.thenComparing((row) -> (row.status() == OrderStatus.SAVED) ? row.updatedAt() : null,
				Comparator.nullsFirst(Comparator.reverseOrder()))
		.thenComparing(StatusRow::acceptance)
		.thenComparing(StatusRow::status)
		.thenComparing(StatusRow::outcomeOffset);

	private @Nullable StatusRow row;

	public void read(ConsumerRecord<byte[], byte[]> record) {
		READER.read(List.of(record), (unreadable) -> {
			throw new AssertionError(unreadable);
		}).forEach((rows) -> rows.forEach((next) -> this.row = (this.row != null) ? merge(this.row, next) : next));
	}

	/** Merges a row with one of the same order that was read after it. */
	static StatusRow merge(StatusRow known, StatusRow next) {
		boolean other = known.fingerprint() != null && next.fingerprint() != null
				&& !known.fingerprint().equals(next.fingerprint());
		if (other && next.outcomeOffset() == StatusRow.NO_OUTCOME) {
			return known;
		}
		boolean decided = other && known.outcomeOffset() == StatusRow.NO_OUTCOME;
		StatusRow winner = (decided || GREATER.compare(known, next) < 0) ? next : known;
		Fingerprint refused = Stream.of(known, next)
			.map(StatusRow::conflict)
			.filter(Objects::nonNull)
			.max(Comparator.comparing(Fingerprint::hex))
			.orElse(null);
		Fingerprint payload = Stream.of(winner, known, next)
			.map(StatusRow::fingerprint)
			.filter((said) -> said != null && !said.equals(refused))
			.findFirst()
			.orElse(null);
		Instant acceptedAt = Stream.of(known, next)
			.map(StatusRow::acceptedAt)
			.filter(Objects::nonNull)
			.min(Comparator.naturalOrder())
			.orElse(null);
		return new StatusRow(winner.id(), winner.customerId(), winner.status(), winner.attempts(), acceptedAt,
				winner.acceptance(), winner.updatedAt(), winner.outcomeOffset(), winner.reason(), winner.payload(),
				payload, refused);
	}

	public void clear() {
		this.row = null;
	}

	/** The row as {@code GET /orders/{id}} reads it. */
	public dev.sluice.gateway.core.status.@Nullable StatusRow view() {
		StatusRow now = this.row;
		return (now != null) ? new dev.sluice.gateway.core.status.StatusRow(
				new OrderView(now.id(), now.status(), now.attempts(), now.acceptedAt(), now.updatedAt(), now.reason()),
				now.customerId(), now.acceptance(), keyUse().orElse(null), null) : null;
	}

	/** The row as the look-up of a key reads it. */
	private Optional<KeyUse.Used> keyUse() {
		return Optional.ofNullable(this.row)
			.filter((now) -> now.fingerprint() != null || now.conflict() != null)
			.map((now) -> new KeyUse.Used(now.fingerprint(), now.conflict()));
	}

	/** All that decides about later merges, without the times. */
	@Override
	public String toString() {
		StatusRow now = this.row;
		return (now != null) ? now.status() + " " + now.outcomeOffset() + keyUse() : "none";
	}

}
