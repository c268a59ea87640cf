package dev.sluice.gateway.edge;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.config.StatusProperties;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * Ends every request. Whatever a request waits for has a time limit of its own, which
 * ends with a signal. Reactor does not signal an error such as
 * {@link NoClassDefFoundError} or {@link StackOverflowError}: it throws it on the thread
 * where it happens, and the request would wait for ever. So an error that is thrown while
 * the request begins fails it, and a request that takes longer than all time limits
 * together fails too. Looks once a second; holds one entry for each request in progress.
 */
@Component
@ThreadSafe
final class RequestDeadline implements DisposableBean {

	/** How often PostgreSQL may be asked for one request, or Kafka read to its end. */
	private static final int LOOKUPS = 5;

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final Set<Running> running = ConcurrentHashMap.newKeySet();

	private final Duration limit;

	private final Disposable looking;

	RequestDeadline(ConnectionProperties connections, GatewayProperties gateway, StatusProperties status,
			BackendProperties backend, QueueProperties queue) {
		this.limit = connections.bodyTimeout()
			.plus(gateway.maxWait())
			.plus(status.timeout().multipliedBy(LOOKUPS))
			.plus(backend.responseTimeout().multipliedBy(backend.maxAttempts()))
			.plus(queue.timeout())
			.plus(GRACE);
		this.looking = Schedulers.parallel()
			.schedulePeriodically(this::look, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Ends a request.
	 * @param request serves it
	 * @return the same; fails by an error that the request throws, and at the deadline
	 */
	Mono<Void> ended(Mono<Void> request) {
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

	private void look() {
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
