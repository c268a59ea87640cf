package dev.sluice.gateway;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Whether an idempotency key was used before, and for which order: among the orders taken
 * here last, then, for the queued way, in PostgreSQL. For the sync way the backend itself
 * says so. What cannot be found out in time counts as never used: accepting needs Kafka
 * alone, and the backend saves an id once whatever is accepted under it.
 * <p>
 * With {@code platform} and {@code virtual} threads the request's thread waits. For any
 * number of threads.
 */
@Component
final class KeyLookup {

	private static final Logger logger = LoggerFactory.getLogger(KeyLookup.class);

	private final OrderStatuses statuses;

	private final StatusTable table;

	private final Duration limit;

	private final StatusGuard guard;

	private final MeterRegistry meters;

	KeyLookup(StatusProperties properties, OrderStatuses statuses, StatusTable table, StatusGuard guard,
			MeterRegistry meters) {
		this.statuses = statuses;
		this.table = table;
		this.limit = properties.keyLookupTimeout();
		this.guard = guard;
		this.meters = meters;
	}

	/**
	 * Looks up what a key was used for.
	 * @param id the id made of it
	 * @param way the way of the order that has it now
	 * @return the fingerprint of the order that it was used for, empty if none is known;
	 * does not fail
	 */
	CompletionStage<Optional<Fingerprint>> find(UUID id, Way way) {
		Fingerprint remembered = this.statuses.fingerprintOf(id);
		if (remembered != null || way == Way.SYNC || this.limit.isZero()) {
			return CompletableFuture.completedFuture(Optional.ofNullable(remembered));
		}
		long startNanos = System.nanoTime();
		return this.guard.askHere(this.limit, () -> this.table.fingerprint(id))
			.handle((known, failure) -> answered(id, known, failure, startNanos));
	}

	private Optional<Fingerprint> answered(UUID id, @Nullable Optional<Fingerprint> known, @Nullable Throwable failure,
			long startNanos) {
		if (known == null) {
			logger.debug("Whether order {} was accepted before cannot be found out", id, failure);
		}
		String outcome = (known == null) ? "unanswered" : (known.isPresent() ? "known" : "unknown");
		GatewayMetric.KEY_LOOKUP.timer(this.meters, "outcome", outcome)
			.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
		return (known != null) ? known : Optional.empty();
	}

}
