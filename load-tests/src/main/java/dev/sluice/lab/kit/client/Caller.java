package dev.sluice.lab.kit.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import javax.net.ssl.SSLContext;

import dev.sluice.lab.kit.stack.Http;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests in one {@link CallMode}. {@link #call} returns at once; the reply is
 * given on any thread, once. The number of outstanding calls is not bounded here.
 */
abstract sealed class Caller implements AutoCloseable {

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

	private static final int OK_BELOW = 400;

	private final ExecutorService engine = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(),
			Thread.ofPlatform().daemon().name("client-engine-", 0).factory());

	private final HttpClient client;

	private Caller(@Nullable SSLContext tls) {
		HttpClient.Builder builder = Http.builder(CONNECT_TIMEOUT).executor(this.engine);
		this.client = ((tls != null) ? builder.sslContext(tls) : builder).build();
	}

	/** Receives the outcome of a request. */
	@FunctionalInterface
	interface Reply {

		/**
		 * @param answered whether there was an answer at all
		 * @param failure what went wrong; null if nothing did
		 */
		void take(boolean answered, @Nullable String failure);

	}

	/**
	 * A caller of that mode.
	 * @param threads number of threads to wait with, if the mode needs any
	 * @param tls certificates to trust; null for the JDK's own
	 */
	static Caller of(CallMode mode, @Nullable Integer threads, @Nullable SSLContext tls) {
		return switch (mode) {
			case ASYNC -> new Async(tls);
			case BLOCKING -> new Blocking(Executors.newFixedThreadPool(Objects.requireNonNull(threads),
					Thread.ofPlatform().daemon().name("client-", 0).factory()), tls);
			case VIRTUAL -> new Blocking(Executors.newVirtualThreadPerTaskExecutor(), tls);
			case SYNC_OVER_ASYNC -> new SyncOverAsync(new GrowingPool(Objects.requireNonNull(threads)), tls);
		};
	}

	abstract void call(HttpRequest request, Reply reply);

	final HttpClient client() {
		return this.client;
	}

	final void answer(HttpResponse<?> response, Reply reply) {
		int status = response.statusCode();
		reply.take(true, (status < OK_BELOW) ? null : "HTTP " + status);
	}

	final void fail(Throwable failure, Reply reply) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		reply.take(false, switch (cause) {
			case HttpConnectTimeoutException _ -> "no connection";
			case ConnectException _ -> "no connection";
			case HttpTimeoutException _ -> "no answer in time";
			default -> "broken: " + cause.getClass().getSimpleName();
		});
	}

	/** Cancels outstanding calls, without replies. */
	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
		this.engine.shutdownNow();
	}

	private static final class Async extends Caller {

		Async(@Nullable SSLContext tls) {
			super(tls);
		}

		@Override
		void call(HttpRequest request, Reply reply) {
			var _ = client().sendAsync(request, BodyHandlers.discarding()).whenComplete((response, failure) -> {
				if (failure != null) {
					fail(failure, reply);
				}
				else {
					answer(response, reply);
				}
			});
		}

	}

	private static final class Blocking extends Caller {

		private final ExecutorService threads;

		Blocking(ExecutorService threads, @Nullable SSLContext tls) {
			super(tls);
			this.threads = threads;
		}

		@Override
		void call(HttpRequest request, Reply reply) {
			this.threads.execute(() -> {
				try {
					answer(client().send(request, BodyHandlers.discarding()), reply);
				}
				catch (IOException ex) {
					fail(ex, reply);
				}
				catch (InterruptedException _) {
					Thread.currentThread().interrupt();
				}
			});
		}

		@Override
		public void close() {
			this.threads.shutdownNow();
			super.close();
		}

	}

	private static final class SyncOverAsync extends Caller {

		private final GrowingPool pool;

		SyncOverAsync(GrowingPool pool, @Nullable SSLContext tls) {
			super(tls);
			this.pool = pool;
		}

		@Override
		void call(HttpRequest request, Reply reply) {
			this.pool.execute(() -> {
				try {
					answer(client().sendAsync(request, BodyHandlers.discarding()).join(), reply);
				}
				catch (CompletionException ex) {
					fail(ex, reply);
				}
			});
		}

		@Override
		public void close() {
			this.pool.close();
			super.close();
		}

	}

}
