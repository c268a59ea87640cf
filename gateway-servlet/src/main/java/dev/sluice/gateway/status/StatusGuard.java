package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.gateway.web.ServletProperties;
import dev.sluice.gateway.web.ServletProperties.Threads;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Asks PostgreSQL, which every request can do without: each time with a time limit, and
 * not at all while it fails, by a circuit breaker. Nothing else asks it. A driver's own
 * time limits are whole seconds, so threads of its own ask, as many as there are
 * connections to PostgreSQL, before a bounded queue; what does not fit in fails at once.
 * What was never asked says nothing of PostgreSQL and does not open the circuit. For any
 * number of threads.
 */
@Component
final class StatusGuard implements DisposableBean {

	/** Of its circuit breaker. */
	static final String NAME = "status";

	/** At two milliseconds each, about as many as the threads get through in 200 ms. */
	private static final int WAITING = 1_000;

	private final Threads threads;

	private final CircuitBreaker circuit;

	private final ThreadPoolExecutor askers;

	@Autowired
	StatusGuard(ServletProperties servlet, CircuitBreakerRegistry circuits, HikariDataSource pool) {
		this(servlet, circuits, pool.getMaximumPoolSize());
	}

	StatusGuard(ServletProperties servlet, CircuitBreakerRegistry circuits, int connections) {
		this.threads = servlet.threads();
		this.circuit = circuits.circuitBreaker(NAME, circuitConfig());
		this.askers = new ThreadPoolExecutor(connections, connections, 60, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(WAITING), Thread.ofPlatform().daemon().name("status-", 0).factory());
		this.askers.allowCoreThreadTimeOut(true);
	}

	/**
	 * Opens after a few: each costs its request the whole time limit, and nothing is lost
	 * without an answer.
	 */
	private static CircuitBreakerConfig circuitConfig() {
		return CircuitBreakerConfig.custom()
			.slidingWindow(10, 5, SlidingWindowType.COUNT_BASED)
			.permittedNumberOfCallsInHalfOpenState(2)
			.waitDurationInOpenState(Duration.ofSeconds(1))
			.ignoreExceptions(RejectedExecutionException.class)
			.writableStackTraceEnabled(false)
			.build();
	}

	/**
	 * Asks.
	 * @param <T> the answer
	 * @param limit how long it may take
	 * @param question what blocks until the answer is there
	 * @return the answer, on a thread that must not be blocked; fails if there is none in
	 * time
	 */
	<T> CompletionStage<T> ask(Duration limit, Supplier<T> question) {
		return CircuitBreaker.decorateCompletionStage(this.circuit, () -> asked(limit, question)).get();
	}

	private <T> CompletionStage<T> asked(Duration limit, Supplier<T> question) {
		AtomicBoolean begun = new AtomicBoolean();
		return CompletableFuture.supplyAsync(() -> {
			begun.set(true);
			return question.get();
		}, this.askers).orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS).exceptionally((failure) -> {
			boolean unasked = failure instanceof TimeoutException && !begun.get();
			throw unasked ? new RejectedExecutionException("Not asked in time") : new CompletionException(failure);
		});
	}

	/**
	 * As {@link #ask}, but with {@code platform} and {@code virtual} threads the calling
	 * thread waits, so that what follows may block.
	 * @param <T> the answer
	 * @param limit how long it may take
	 * @param question what blocks until the answer is there
	 * @return the answer; fails if there is none in time
	 */
	<T> CompletionStage<T> askHere(Duration limit, Supplier<T> question) {
		return this.threads.await(ask(limit, question));
	}

	@Override
	public void destroy() {
		this.askers.shutdown();
	}

}
