package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Every request of the API passes here first. At most {@code sluice.max-in-progress} are
 * in progress, so that no number of connections makes the heap overflow; one more is
 * refused at once. A request whose body is being read is not in progress.
 * <p>
 * When the gateway stops, while the server still takes requests, each new one is answered
 * that the gateway is shutting down, and its connection is closed, until
 * {@code sluice.drain-time} has passed and every request that came before is answered.
 * The server's own graceful shutdown follows, which would close kept connections without
 * a word. For any number of threads.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
public final class Admission implements WebFilter, SmartLifecycle {

	private static final String MANAGEMENT = "/actuator/";

	private final int maxInProgress;

	private final Duration drainTime;

	private final AtomicInteger inProgress = new AtomicInteger();

	/** Requests that are not answered, also those whose bodies are being read. */
	private final AtomicInteger present = new AtomicInteger();

	private volatile @Nullable CompletableFuture<@Nullable Void> lastAnswered;

	private volatile boolean running;

	public Admission(GatewayProperties properties, MeterRegistry meters) {
		this.maxInProgress = properties.maxInProgress();
		this.drainTime = properties.drainTime();
		GatewayMetric.REQUESTS_IN_PROGRESS.gauge(meters, this.inProgress, AtomicInteger::get);
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		if (exchange.getRequest().getPath().value().startsWith(MANAGEMENT)) {
			return chain.filter(exchange);
		}
		return Mono.defer(() -> {
			// Before the look, so that no request is overlooked between the two.
			this.present.incrementAndGet();
			if (this.lastAnswered != null) {
				exchange.getResponse().getHeaders().set(HttpHeaders.CONNECTION, "close");
				return Mono.<Void>error(shuttingDown());
			}
			Place place = new Place();
			place.take();
			return chain.filter(exchange)
				.contextWrite((context) -> context.put(Place.class, place))
				.doFinally((_) -> place.give());
		}).doFinally((_) -> answered());
	}

	/**
	 * Reads the body of a request, which gives up its place meanwhile.
	 * @param <T> the body
	 * @param body reads it
	 * @return what was read; fails with {@link ProblemException} if then no place is free
	 */
	public <T> Mono<T> whileReading(Mono<T> body) {
		return Mono.deferContextual((context) -> {
			Place place = context.get(Place.class);
			place.give();
			return body.doOnNext((_) -> place.take());
		});
	}

	private static ProblemException shuttingDown() {
		return new ProblemException(ProblemType.SHUTTING_DOWN, "This gateway is about to stop. Send it to another.",
				Placed.NO);
	}

	private static ProblemException overloaded() {
		return new ProblemException(ProblemType.OVERLOADED, "As many requests as allowed are in progress.", Placed.NO);
	}

	private void answered() {
		if (this.present.decrementAndGet() == 0) {
			CompletableFuture<@Nullable Void> stopping = this.lastAnswered;
			if (stopping != null) {
				stopping.complete(null);
			}
		}
	}

	@Override
	public void start() {
		this.lastAnswered = null;
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public void stop(Runnable callback) {
		CompletableFuture<@Nullable Void> stopping = new CompletableFuture<>();
		this.lastAnswered = stopping;
		if (this.present.get() == 0) {
			stopping.complete(null);
		}
		stopping
			.thenCombine(new CompletableFuture<@Nullable Void>().completeOnTimeout(null, this.drainTime.toMillis(),
					TimeUnit.MILLISECONDS), (_, _) -> this.running = false)
			.whenComplete((_, _) -> callback.run());
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	/** Just before the server's own. */
	@Override
	public int getPhase() {
		return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
	}

	/** The place of one request among those in progress. For one thread at a time. */
	private final class Place {

		private boolean taken;

		void take() {
			if (Admission.this.inProgress.incrementAndGet() > Admission.this.maxInProgress) {
				Admission.this.inProgress.decrementAndGet();
				throw overloaded();
			}
			this.taken = true;
		}

		void give() {
			if (this.taken) {
				this.taken = false;
				Admission.this.inProgress.decrementAndGet();
			}
		}

	}

}
