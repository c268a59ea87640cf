package dev.sluice.gateway;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.GatewayProperties.Threads;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Whether an idempotency key was used before, and for which order: among the orders taken
 * here last, then, for the queued way, in PostgreSQL. For the sync way the backend itself
 * says so. What cannot be found out in time counts as never used: accepting needs Kafka
 * alone, and the backend saves an id once whatever is accepted under it.
 * <p>
 * While PostgreSQL fails, a circuit breaker saves most requests the wait. A driver's own
 * time limits are seconds, so threads of its own ask, fewer than PostgreSQL has
 * connections here; with {@code platform} and {@code virtual} threads the request's
 * thread waits. For any number of threads.
 */
@Component
final class KeyLookup implements DisposableBean {

	/** Of its circuit breaker. */
	static final String NAME = "key-lookup";

	private static final Logger logger = LoggerFactory.getLogger(KeyLookup.class);

	private static final int THREADS = 5;

	/** At a millisecond each, a small part of the time limit. */
	private static final int WAITING = 100;

	private final OrderStatuses statuses;

	private final StatusTable table;

	private final Duration limit;

	private final Threads threads;

	private final CircuitBreaker circuit;

	private final MeterRegistry meters;

	private final ThreadPoolExecutor askers;

	KeyLookup(StatusProperties properties, GatewayProperties gateway, OrderStatuses statuses, StatusTable table,
			CircuitBreakerRegistry circuits, MeterRegistry meters) {
		this.statuses = statuses;
		this.table = table;
		this.limit = properties.keyLookupTimeout();
		this.threads = gateway.threads();
		this.circuit = circuits.circuitBreaker(NAME, circuitConfig());
		this.meters = meters;
		this.askers = new ThreadPoolExecutor(THREADS, THREADS, 60, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING),
				Thread.ofPlatform().daemon().name("key-lookup-", 0).factory());
		this.askers.allowCoreThreadTimeOut(true);
	}

	/**
	 * Opens after a few: each costs its order the whole time limit, and nothing is lost
	 * without an answer.
	 */
	private static CircuitBreakerConfig circuitConfig() {
		return CircuitBreakerConfig.custom()
			.slidingWindow(10, 5, SlidingWindowType.COUNT_BASED)
			.permittedNumberOfCallsInHalfOpenState(2)
			.waitDurationInOpenState(Duration.ofSeconds(1))
			.writableStackTraceEnabled(false)
			.build();
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
		CompletionStage<Optional<Fingerprint>> answer = CircuitBreaker
			.decorateCompletionStage(this.circuit, () -> asked(id))
			.get()
			.handle((known, failure) -> answered(id, known, failure, startNanos));
		return switch (this.threads) {
			// What follows may block, which neither an asker nor the timer's thread may.
			case PLATFORM, VIRTUAL -> CompletableFuture.completedFuture(answer.toCompletableFuture().join());
			case ASYNC -> answer;
		};
	}

	private CompletionStage<Optional<Fingerprint>> asked(UUID id) {
		return CompletableFuture.supplyAsync(() -> this.table.fingerprint(id), this.askers)
			.orTimeout(this.limit.toNanos(), TimeUnit.NANOSECONDS);
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

	@Override
	public void destroy() {
		this.askers.shutdown();
	}

}
