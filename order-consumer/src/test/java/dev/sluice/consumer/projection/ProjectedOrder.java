package dev.sluice.consumer.projection;

import java.util.List;
import java.util.Optional;

import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.status.KeyUse;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The row of one order, merged in Java. {@code ProjectionIT} shows that PostgreSQL merges
 * alike.
 */
public final class ProjectedOrder {

	private static final StatusReader READER = new StatusReader(JsonMapper.shared());

	private @Nullable StatusRow row;

	public void read(ConsumerRecord<byte[], byte[]> record) {
		READER.fold(List.of(record), (unreadable) -> {
			throw new AssertionError(unreadable);
		}).forEach((rows) -> rows.forEach((next) -> this.row = (this.row != null) ? this.row.merge(next) : next));
	}

	public void clear() {
		this.row = null;
	}

	/** The row as {@code GET /orders/{id}} reads it. */
	public dev.sluice.gateway.core.status.@Nullable StatusRow view() {
		StatusRow now = this.row;
		return (now != null) ? new dev.sluice.gateway.core.status.StatusRow(
				new OrderView(now.id(), now.status(), now.attempts(), now.acceptedAt(), now.updatedAt(), now.reason()),
				now.customerId(), now.acceptance(), keyUse().orElse(null)) : null;
	}

	/** The row as the look-up of a key reads it. */
	public Optional<KeyUse.Used> keyUse() {
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
