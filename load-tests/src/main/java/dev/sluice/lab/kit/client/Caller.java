package dev.sluice.lab.kit.client;

import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import javax.net.ssl.SSLContext;

import dev.sluice.lab.kit.client.OpenClient.Reply;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Sender;
import dev.sluice.lab.kit.stack.Http;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests in one {@link CallMode}. The number of outstanding calls is not bounded
 * here.
 */
public final class Caller implements AutoCloseable {

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

	private static final int OK_BELOW = 400;

	private final CallMode mode;

	/** The HTTP client's own threads, which answer. */
	private final ExecutorService engine = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(),
			Thread.ofPlatform().daemon().name("client-engine-", 0).factory());

	private final HttpClient client;

	/** Runs what waits for an answer. */
	private final Executor waiting;

	private final ScheduledExecutorService growth = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("pool-growth").factory());

	/**
	 * @param threads number of threads to wait with, if the mode needs any
	 * @param tls certificates to trust; null for the JDK's own
	 */
	public Caller(CallMode mode, @Nullable Integer threads, @Nullable SSLContext tls) {
		this.mode = mode;
		HttpClient.Builder builder = Http.builder(CONNECT_TIMEOUT).executor(this.engine);
		this.client = ((tls != null) ? builder.sslContext(tls) : builder).build();
		this.waiting = switch (mode) {
			case ASYNC -> Runnable::run;
			case BLOCKING -> pool(Objects.requireNonNull(threads));
			case VIRTUAL -> Executors.newVirtualThreadPerTaskExecutor();
			case SYNC_OVER_ASYNC -> {
				ThreadPoolExecutor pool = pool(Objects.requireNonNull(threads));
				this.growth.scheduleAtFixedRate(() -> grow(pool), 1, 1, TimeUnit.SECONDS);
				yield pool;
			}
		};
	}

	/** So many threads, and an unbounded queue: the caller must bound the tasks. */
	static ThreadPoolExecutor pool(int threads) {
		return new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				Thread.ofPlatform().daemon().name("client-", 0).factory());
	}

	/**
	 * Adds a thread if tasks wait. Each second, that makes a pool grow as the default
	 * pool of some runtimes does.
	 */
	static void grow(ThreadPoolExecutor pool) {
		if (!pool.getQueue().isEmpty()) {
			pool.setMaximumPoolSize(pool.getCorePoolSize() + 1);
			pool.setCorePoolSize(pool.getMaximumPoolSize());
		}
	}

	/**
	 * Sends such requests.
	 * @param requests by number, from 0; made when due
	 */
	public Sender sending(IntFunction<HttpRequest> requests) {
		return (number, reply) -> {
			HttpRequest request = requests.apply(number);
			this.waiting.execute(() -> {
				CompletableFuture<?> answered = send(request, reply);
				if (this.mode != CallMode.ASYNC) {
					answered.join();
				}
			});
		};
	}

	/** Never fails: the reply has the failure. */
	private CompletableFuture<@Nullable Void> send(HttpRequest request, Reply reply) {
		return this.client.sendAsync(request, BodyHandlers.discarding()).handle((response, failure) -> {
			if (failure != null) {
				fail(failure, reply);
			}
			else {
				int status = response.statusCode();
				reply.take(status, (status < OK_BELOW) ? null : "HTTP " + status);
			}
			return null;
		});
	}

	private static void fail(Throwable failure, Reply reply) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		reply.take(Requests.NOT_ANSWERED, switch (cause) {
			case HttpConnectTimeoutException _ -> "no connection";
			case ConnectException _ -> "no connection";
			case HttpTimeoutException _ -> "no answer in time";
			default -> "broken: " + cause.getClass().getSimpleName();
		});
	}

	/** Cancels outstanding calls. */
	@Override
	public void close() {
		this.growth.shutdownNow();
		if (this.waiting instanceof ExecutorService threads) {
			threads.shutdownNow();
		}
		this.client.shutdownNow();
		this.client.close();
		this.engine.shutdownNow();
	}

}
