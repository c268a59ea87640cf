package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.config.StatusProperties;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * Ensures that every request ends. Everything that a request waits for has a time limit
 * of its own, which ends with a signal. Reactor does not signal an error such as
 * {@link NoClassDefFoundError} or {@link StackOverflowError}: it throws it on the thread
 * where it occurs, and the request would wait for ever. So an error thrown while a
 * request begins fails the request. A request that takes longer than all time limits
 * together fails too. Checks once a second; holds one entry for each request in progress.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class RequestDeadline implements WebFilter, DisposableBean {

	/**
	 * Maximum number of queries to PostgreSQL, or reads of Kafka to its end, for one
	 * request.
	 */
	private static final int LOOKUPS = 5;

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final Set<Running> running = ConcurrentHashMap.newKeySet();

	private final Duration limit;

	private final Disposable looking;

	RequestDeadline(GatewayProperties gateway, StatusProperties status, BackendProperties backend,
			QueueProperties queue) {
		this.limit = gateway.maxWait()
			.plus(status.timeout().multipliedBy(LOOKUPS))
			.plus(backend.responseTimeout().multipliedBy(backend.maxAttempts()))
			.plus(queue.timeout())
			.plus(GRACE);
		this.looking = Schedulers.parallel()
			.schedulePeriodically(this::check, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** The request fails with an error that it throws, and at the deadline. */
	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		Mono<Void> request = Mono.defer(() -> chain.filter(exchange));
		return Mono.create((sink) -> {
			Running entry = new Running(sink, System.nanoTime());
			this.running.add(entry);
			Disposable.Composite end = Disposables.composite(() -> this.running.remove(entry));
			sink.onDispose(end);
			try {
				end.add(request.subscribe(null, sink::error, sink::success, Context.of(sink.contextView())));
			}
			catch (LinkageError | VirtualMachineError ex) {
				sink.error(ex);
			}
		});
	}

	private void check() {
		long nowNanos = System.nanoTime();
		for (Running request : this.running) {
			if (nowNanos - request.startNanos() > this.limit.toNanos()) {
				request.sink().error(new IllegalStateException("A request was not answered within " + this.limit));
			}
		}
	}

	@Override
	public void destroy() {
		this.looking.dispose();
	}

	private record Running(MonoSink<Void> sink, long startNanos) {
	}

}
