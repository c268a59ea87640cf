package dev.sluice.gateway;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.ProblemType;
import dev.sluice.contract.Taken;
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
 * The door: every request but those for health and metrics passes here first. At most
 * {@code sluice.max-in-progress} are inside, so that no number of connections makes the
 * heap overflow; one more is refused at once.
 * <p>
 * When the gateway stops, while the server still takes requests, each new one is answered
 * that the gateway is shutting down, and its connection is closed, until
 * {@code sluice.drain-time} has passed and every request that came before is answered.
 * The server's own graceful shutdown follows, which would close kept connections without
 * a word. For any number of threads.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class Admission implements WebFilter, SmartLifecycle {

	private static final String MANAGEMENT = "/actuator/";

	private final int maxInProgress;

	private final Duration drainTime;

	private final AtomicInteger inProgress = new AtomicInteger();

	private volatile @Nullable CompletableFuture<@Nullable Void> lastAnswered;

	private volatile boolean running;

	Admission(GatewayProperties properties, MeterRegistry meters) {
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
			int inside = this.inProgress.incrementAndGet();
			if (this.lastAnswered != null) {
				exchange.getResponse().getHeaders().set(HttpHeaders.CONNECTION, "close");
				return Mono.<Void>error(shuttingDown());
			}
			return (inside > this.maxInProgress) ? Mono.<Void>error(overloaded()) : chain.filter(exchange);
		}).doFinally((_) -> answered());
	}

	private static ProblemException shuttingDown() {
		return new ProblemException(ProblemType.SHUTTING_DOWN, "This gateway is about to stop. Send it to another.",
				Taken.NO);
	}

	private static ProblemException overloaded() {
		return new ProblemException(ProblemType.OVERLOADED, "As many requests as allowed are in progress.", Taken.NO);
	}

	private void answered() {
		if (this.inProgress.decrementAndGet() == 0) {
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
		if (this.inProgress.get() == 0) {
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

}
