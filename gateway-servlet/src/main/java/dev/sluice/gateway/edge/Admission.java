package dev.sluice.gateway.edge;

import java.io.IOException;
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
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Every request of the API passes here first. At most {@code sluice.max-in-progress} are
 * in progress, so that no number of connections makes the heap overflow; one more is
 * refused at once. A request that waits for the rest of its body is not in progress, see
 * {@link BodyReader}.
 * <p>
 * When the gateway stops, while the container still takes requests, each new one is
 * answered that the gateway is shutting down, and its connection is closed, until
 * {@code sluice.drain-time} has passed and every request that came before is answered.
 * The container's own graceful shutdown follows, which would close kept connections
 * without a word. For any number of threads.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
public final class Admission extends OncePerRequestFilter implements SmartLifecycle {

	private final int maxInProgress;

	private final Duration drainTime;

	private final HandlerExceptionResolver problems;

	private final AtomicInteger inProgress = new AtomicInteger();

	private volatile @Nullable CompletableFuture<@Nullable Void> lastAnswered;

	private volatile boolean running;

	public Admission(GatewayProperties properties, MeterRegistry meters,
			@Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems) {
		this.maxInProgress = properties.maxInProgress();
		this.drainTime = properties.drainTime();
		this.problems = problems;
		GatewayMetric.REQUESTS_IN_PROGRESS.gauge(meters, this.inProgress, AtomicInteger::get);
	}

	/** A request whose body had to be waited for comes in when that has been read. */
	@Override
	protected boolean shouldNotFilterAsyncDispatch() {
		return false;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.ASYNC && !BodyReader.hasRead(request);
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		closeAfterUnfinished(request, response);
		// Before the look, so that no request is overlooked between the two.
		int inside = this.inProgress.incrementAndGet();
		try {
			if (this.lastAnswered != null) {
				response.setHeader(HttpHeaders.CONNECTION, "close");
				refuse(request, response, shuttingDown());
			}
			else if (inside > this.maxInProgress) {
				refuse(request, response, overloaded());
			}
			else {
				chain.doFilter(request, response);
			}
		}
		finally {
			if (request.isAsyncStarted() && !BodyReader.isReading(request)) {
				request.getAsyncContext().addListener(new Completion());
			}
			else {
				answered();
			}
		}
	}

	/**
	 * A body that is not read, or of which the rest has not come in, would be taken for
	 * the next request.
	 */
	private static void closeAfterUnfinished(HttpServletRequest request, HttpServletResponse response) {
		ClientConnection connection = ClientConnection.of(request);
		if (connection != null && !connection.isRequestComplete()) {
			connection.receive();
			if (!connection.isRequestComplete()) {
				response.setHeader(HttpHeaders.CONNECTION, "close");
			}
		}
	}

	private void refuse(HttpServletRequest request, HttpServletResponse response, ProblemException problem) {
		this.problems.resolveException(request, response, null, problem);
	}

	private static ProblemException shuttingDown() {
		return new ProblemException(ProblemType.SHUTTING_DOWN, "This gateway is about to stop. Send it to another.",
				Placed.NO);
	}

	private static ProblemException overloaded() {
		return new ProblemException(ProblemType.OVERLOADED, "As many requests as allowed are in progress.", Placed.NO);
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

	/** Just before the container's own. */
	@Override
	public int getPhase() {
		return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
	}

	/** A request whose answer came on another thread. */
	private final class Completion implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			answered();
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

	}

}
