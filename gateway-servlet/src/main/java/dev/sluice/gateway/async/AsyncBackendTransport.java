package dev.sluice.gateway.async;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import dev.sluice.contract.BackendAnswer;
import dev.sluice.contract.client.BackendConnections;
import dev.sluice.gateway.backend.BackendTransport;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.config.BackendProperties;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.httpcomponents.hc5.PoolingHttpClientConnectionManagerMetricsBinder;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.nio.entity.AsyncEntityProducers;
import org.apache.hc.core5.http.nio.support.AsyncRequestBuilder;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.util.ByteArrayBuffer;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Holds no thread while it waits: the response comes on one of the client's few I/O
 * threads, which must not be blocked.
 */
@Component
@ConditionalOnProperty(name = "sluice.threads", havingValue = "async")
final class AsyncBackendTransport implements BackendTransport {

	/** Interval at which exchanges that are over their time limit are looked for. */
	private static final Duration INTERVAL = Duration.ofMillis(100);

	private final CloseableHttpAsyncClient client;

	private final RequestConfig config;

	private final ScheduledExecutorService deadlines = BackendTransport.deadlines();

	AsyncBackendTransport(BackendProperties backend, MeterRegistry meters) {
		this.config = BackendTransport.requestConfig(backend);
		PoolingAsyncClientConnectionManager connections = PoolingAsyncClientConnectionManagerBuilder.create()
			.setMaxConnTotal(backend.maxConcurrent())
			.setMaxConnPerRoute(backend.maxConcurrent())
			.setDefaultConnectionConfig(BackendTransport.connectionConfig(backend))
			.setDefaultTlsConfig(TlsConfig.custom().setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1).build())
			.build();
		new PoolingHttpClientConnectionManagerMetricsBinder(connections, "backend").bindTo(meters);
		this.client = HttpAsyncClients.custom()
			.setConnectionManager(connections)
			.setHttp1Config(BackendConnections.HTTP_1)
			.setIoSessionDecorator(AsyncBackendTransport::inStep)
			.setIOReactorConfig(IOReactorConfig.custom().setSelectInterval(TimeValue.of(INTERVAL)).build())
			.setDefaultRequestConfig(this.config)
			.evictExpiredConnections()
			.evictIdleConnections(TimeValue.of(backend.idleTimeout()))
			.setRetryStrategy(new StaleConnections())
			.disableRedirectHandling()
			.disableCookieManagement()
			.disableAuthCaching()
			.disableContentCompression()
			.build();
		this.client.start();
	}

	/**
	 * Closes a connection on which more than an answer has arrived before the next
	 * request is sent: it would be taken for the beginning of that one's answer.
	 */
	private static IOSession inStep(IOSession session) {
		// The client's buffer, as the parser leaves it.
		AtomicReference<@Nullable ByteBuffer> received = new AtomicReference<>();
		return (IOSession) Proxy.newProxyInstance(IOSession.class.getClassLoader(), new Class<?>[] { IOSession.class },
				(_, method, arguments) -> {
					Object result = AopUtils.invokeJoinpointUsingReflection(session, method, arguments);
					if (method.getName().equals("read")) {
						received.compareAndSet(null, (ByteBuffer) arguments[0]);
					}
					ByteBuffer buffer = received.get();
					if (result instanceof RequestExecutionCommand request
							&& (!session.isOpen() || (buffer != null && buffer.hasRemaining()))) {
						session.close(CloseMode.IMMEDIATE);
						request.cancel();
						return null;
					}
					return result;
				});
	}

	/**
	 * Sends a request.
	 * @param request the request
	 * @param limit maximum time of the whole exchange; then the connection is closed
	 * @return the response; fails with {@link TimeoutException} at the limit and
	 * {@link IOException} if there was no connection or it broke
	 */
	CompletableFuture<BackendResponse> sendAsync(BackendRequest request, Duration limit) {
		Answer answer = new Answer();
		HttpClientContext context = context(limit);
		Future<?> exchange = this.client.execute(producer(request), answer, context, answer);
		Future<?> deadline = this.deadlines.schedule(() -> {
			answer.completeExceptionally(new TimeoutException());
			cancel(exchange, context);
		}, limit.toNanos(), TimeUnit.NANOSECONDS);
		return answer.whenComplete((_, _) -> deadline.cancel(false));
	}

	/**
	 * Cancels an exchange once it has its connection: the client forgets one that it is
	 * just opening, and never closes it.
	 */
	private void cancel(Future<?> exchange, HttpClientContext context) {
		if (context.getEndpointDetails() != null) {
			exchange.cancel(true);
		}
		else if (!exchange.isDone()) {
			this.deadlines.schedule(() -> cancel(exchange, context), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	/**
	 * Sets the limit as the client's own, too: the client misses a cancellation that
	 * comes while an exchange gets its connection. The exchange then keeps the connection
	 * until this limit.
	 */
	private HttpClientContext context(Duration limit) {
		HttpClientContext context = HttpClientContext.create();
		// 0 would be no limit.
		long millis = Math.clamp(limit.toMillis(), 1, this.config.getResponseTimeout().toMilliseconds());
		Timeout timeout = Timeout.ofMilliseconds(millis);
		context.setRequestConfig(RequestConfig.copy(this.config).setResponseTimeout(timeout).build());
		return context;
	}

	/** For the look-ups, which wait on a virtual thread. Both methods share one pool. */
	@Override
	public BackendResponse send(BackendRequest request, Duration limit) throws IOException, TimeoutException {
		try {
			return sendAsync(request, limit).join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof TimeoutException timeout) {
				throw timeout;
			}
			throw (ex.getCause() instanceof IOException io) ? io : new IOException(ex.getCause());
		}
	}

	private static AsyncRequestProducer producer(BackendRequest request) {
		AsyncRequestBuilder builder = AsyncRequestBuilder.create(request.method()).setUri(request.uri());
		request.headers().forEach(builder::setHeader);
		if (request.json().length > 0) {
			builder.setEntity(AsyncEntityProducers.create(request.json(), JSON));
		}
		return builder.build();
	}

	@Override
	public void close() {
		this.client.close(CloseMode.GRACEFUL);
		this.deadlines.shutdownNow();
	}

	/**
	 * The response to one request, whatever its content type says: the client's own class
	 * fails on an unknown charset. Discards what comes beyond the bound.
	 */
	private static final class Answer extends CompletableFuture<BackendResponse>
			implements AsyncResponseConsumer<BackendResponse>, FutureCallback<BackendResponse> {

		private final ByteArrayBuffer body = new ByteArrayBuffer(256);

		private volatile @Nullable Runnable whole;

		@Override
		public void consumeResponse(HttpResponse head, @Nullable EntityDetails entity, HttpContext context,
				FutureCallback<BackendResponse> callback) {
			Runnable whole = () -> callback.completed(new BackendResponse(head.getCode(),
					BackendTransport.retryAfter(head), this.body.toByteArray(), StaleConnections.sentAgain(context)));
			this.whole = whole;
			if (entity == null) {
				whole.run();
			}
		}

		@Override
		public void informationResponse(HttpResponse response, HttpContext context) {
		}

		@Override
		public void updateCapacity(CapacityChannel channel) throws IOException {
			channel.update(BackendAnswer.MAX_BYTES);
		}

		@Override
		public void consume(ByteBuffer source) {
			if (this.body.length() <= BackendAnswer.MAX_BYTES) {
				this.body.append(source);
			}
		}

		@Override
		public void streamEnd(@Nullable List<? extends Header> trailers) {
			Objects.requireNonNull(this.whole).run();
		}

		@Override
		public void completed(BackendResponse response) {
			complete(response);
		}

		@Override
		public void failed(Exception ex) {
			completeExceptionally(BackendTransport.failure(ex));
		}

		@Override
		public void cancelled() {
			completeExceptionally(new IOException("The exchange was cancelled"));
		}

		@Override
		public void releaseResources() {
			this.body.clear();
		}

	}

}
