package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The requests of the API: present = in progress + waiting for the rest of their body. At
 * most {@code sluice.max-in-progress} are in progress, so that no number of connections
 * makes the heap overflow.
 * <p>
 * When the gateway stops, it answers new requests with {@code shutting-down} until
 * {@code sluice.drain-time} has passed and every earlier request is answered. The web
 * server's own graceful shutdown follows; it would close keep-alive connections without
 * an answer.
 */
@Component
@ThreadSafe
public final class RequestLimit implements SmartLifecycle {

	private final int maxInProgress;

	private final Duration drainTime;

	private final AtomicInteger present = new AtomicInteger();

	private final AtomicInteger inProgress = new AtomicInteger();

	/** Not null while the gateway stops; completes when the last request is answered. */
	private volatile @Nullable CompletableFuture<@Nullable Void> drained;

	private volatile boolean running;

	public RequestLimit(GatewayProperties properties, MeterRegistry meters) {
		this.maxInProgress = properties.maxInProgress();
		this.drainTime = properties.drainTime();
		GatewayMetric.REQUESTS_IN_PROGRESS.gauge(meters, this.inProgress, AtomicInteger::get);
		GatewayMetric.REQUESTS_LIMIT.gauge(meters, this, (limit) -> limit.maxInProgress);
	}

	/** A request arrives. Its place must be closed when the request is answered. */
	public Place arrive() {
		this.present.incrementAndGet();
		// Read after counting: either the shutdown waits for the request, or the request
		// sees the shutdown.
		return new Place(this.drained != null);
	}

	private void depart() {
		CompletableFuture<@Nullable Void> stopping = this.drained;
		if (this.present.decrementAndGet() == 0 && stopping != null) {
			stopping.complete(null);
		}
	}

	@Override
	public void start() {
		this.drained = null;
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public void stop(Runnable callback) {
		CompletableFuture<@Nullable Void> stopping = new CompletableFuture<>();
		this.drained = stopping;
		if (this.present.get() == 0) {
			stopping.complete(null);
		}
		CompletableFuture<@Nullable Void> drainTimeOver = new CompletableFuture<@Nullable Void>()
			.completeOnTimeout(null, this.drainTime.toMillis(), TimeUnit.MILLISECONDS);
		stopping.thenCombine(drainTimeOver, (_, _) -> this.running = false).whenComplete((_, _) -> callback.run());
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	/** Just before the web server's own graceful shutdown. */
	@Override
	public int getPhase() {
		return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
	}

	/** One request. Used by one thread at a time. */
	public final class Place implements AutoCloseable {

		private final boolean tooLate;

		private boolean taken;

		private Place(boolean tooLate) {
			this.tooLate = tooLate;
		}

		/** Whether the request arrived after the gateway began to stop. */
		public boolean isTooLate() {
			return this.tooLate;
		}

		/**
		 * Puts the request in progress.
		 * @throws ProblemException if the gateway stops, or too many are in progress
		 */
		public void take() {
			if (this.tooLate) {
				throw new ProblemException(ProblemType.SHUTTING_DOWN,
						"This gateway is shutting down. Send the request to another one.", Placed.NO);
			}
			if (RequestLimit.this.inProgress.incrementAndGet() > RequestLimit.this.maxInProgress) {
				RequestLimit.this.inProgress.decrementAndGet();
				throw new ProblemException(ProblemType.OVERLOADED, "Too many requests are in progress.", Placed.NO);
			}
			this.taken = true;
		}

		/** The request waits for the rest of its body. */
		public void give() {
			if (this.taken) {
				this.taken = false;
				RequestLimit.this.inProgress.decrementAndGet();
			}
		}

		/** The request is answered. */
		@Override
		public void close() {
			give();
			depart();
		}

	}

}
