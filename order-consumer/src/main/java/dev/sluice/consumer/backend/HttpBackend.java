package dev.sluice.consumer.backend;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.contract.BackendAnswer;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.client.BackendConnections;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.io.HttpClientResponseHandler;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backend over HTTP: {@code POST /orders} with the order's id as idempotency key, so
 * that the backend saves an order once, however often it is delivered. The client blocks
 * virtual threads and has as many connections as orders may be in delivery. It neither
 * retries nor follows redirects nor stores cookies.
 * <p>
 * A thread of its own cancels requests at their deadline. A socket timeout does not limit
 * the whole exchange, because an answer may arrive byte by byte.
 */
public final class HttpBackend implements Backend, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(HttpBackend.class);

	/** Longest part of an answer in a failure's detail, in characters. */
	private static final int MAX_EXCERPT_LENGTH = 200;

	/** What an excerpt is made from, with room for space that it leaves out. */
	private static final int MAX_EXCERPT_BYTES = 8 * 1024;

	private final URI orders;

	private final BackendProperties properties;

	private final PoolingHttpClientConnectionManager connections;

	private final CloseableHttpClient client;

	private final ScheduledThreadPoolExecutor deadlines;

	private final InstantSource clock;

	public HttpBackend(BackendProperties properties, int connections, InstantSource clock) {
		this.clock = clock;
		this.orders = properties.url().resolve("/orders");
		this.properties = properties;
		// There are as many connections as permits of the limiter, so no request waits
		// for one.
		this.connections = PoolingHttpClientConnectionManagerBuilder.create()
			.setMaxConnTotal(connections)
			.setMaxConnPerRoute(connections)
			.setDefaultConnectionConfig(ConnectionConfig.custom()
				.setConnectTimeout(Timeout.of(properties.connectTimeout()))
				.setSocketTimeout(Timeout.of(properties.responseTimeout()))
				.setIdleTimeout(Timeout.of(properties.idleTimeout()))
				.build())
			.setConnectionFactory(new BackendConnections())
			.build();
		this.client = HttpClients.createMinimal(this.connections);
		this.deadlines = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("backend-deadlines").factory());
		// Nearly all deadlines are cancelled. Without this they would stay in the queue.
		this.deadlines.setRemoveOnCancelPolicy(true);
	}

	public PoolingHttpClientConnectionManager connections() {
		return this.connections;
	}

	@Override
	public Attempt deliver(QueuedOrder order) {
		HttpPost request = new HttpPost(this.orders);
		request.setHeader(HttpNames.IDEMPOTENCY_KEY, "\"" + order.id() + "\"");
		if (order.traceparent() != null) {
			request.setHeader(OrderHeaders.TRACEPARENT, order.traceparent());
		}
		request.setEntity(new ByteArrayEntity(order.body(), ContentType.APPLICATION_JSON));
		try {
			return execute(request, (response) -> judge(response, order.id()));
		}
		catch (ConnectException | ConnectTimeoutException | UnknownHostException | NoRouteToHostException ex) {
			return new RetryLater(FailureReason.unreachable("the backend cannot be reached: " + ex.getMessage()),
					Reach.NOT_REACHED);
		}
		catch (IOException | RuntimeException ex) {
			return new RetryLater(unanswered(request, ex), Reach.UNANSWERED);
		}
	}

	private FailureReason unanswered(HttpPost request, Exception failure) {
		String detail = "the backend did not answer: " + describe(failure);
		// The cancellation, not the deadline's future, which is done only after it: this
		// thread may be faster.
		if (failure instanceof SocketTimeoutException || request.isCancelled()) {
			return FailureReason.notAnsweredWithin(this.properties.responseTimeout(), detail);
		}
		// Another exception is a bug, which must not lose the order: it becomes a dead
		// letter.
		return (failure instanceof IOException) ? FailureReason.connectionLost(detail)
				: FailureReason.interrupted("the delivery failed with a bug: " + describe(failure));
	}

	/** {@code GET /orders/{id}}. Its answer means the same as that to the order. */
	@Override
	public @Nullable Saved find(UUID id) {
		try {
			return execute(new HttpGet(this.orders + "/" + id), (response) -> {
				BackendAnswer answer = BackendAnswer.of(response.getCode(), body(response), id, this.clock.instant());
				return (answer instanceof BackendAnswer.Saved(Instant at)) ? new Saved(at) : null;
			});
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("The look-up of order {} failed", id, ex);
			return null;
		}
	}

	/** Cancels the request at its deadline. */
	private <T extends @Nullable Object> T execute(HttpUriRequestBase request, HttpClientResponseHandler<T> handler)
			throws IOException {
		ScheduledFuture<?> deadline = this.deadlines.schedule(request::cancel,
				this.properties.connectTimeout().plus(this.properties.responseTimeout()).toNanos(),
				TimeUnit.NANOSECONDS);
		try {
			return this.client.execute(request, handler);
		}
		finally {
			deadline.cancel(false);
		}
	}

	private Attempt judge(ClassicHttpResponse response, UUID id) throws IOException {
		int status = response.getCode();
		byte[] body = body(response);
		Instant now = this.clock.instant();
		Duration retryAfter = BackendAnswer.retryAfter(header(response, HttpHeaders.RETRY_AFTER), now);
		if (status == HttpStatus.SC_TOO_MANY_REQUESTS
				|| (status == HttpStatus.SC_SERVICE_UNAVAILABLE && retryAfter != null)) {
			return new Throttled(FailureReason.throttled(detail(status, body)),
					(retryAfter != null) ? retryAfter : Duration.ZERO);
		}
		return switch (BackendAnswer.of(status, body, id, now)) {
			case BackendAnswer.Saved(Instant at) -> new Saved(at);
			case BackendAnswer.Conflict _ -> new Conflict(FailureReason.otherPayload(detail(status, body)));
			case BackendAnswer.Rejected _ -> new Rejected(FailureReason.refused(status, detail(status, body)));
			// What stands in front of the backend waited in vain, as for a time-out of
			// ours.
			case BackendAnswer.Failed _ -> new RetryLater(FailureReason.failed(status, detail(status, body)),
					(status == HttpStatus.SC_GATEWAY_TIMEOUT) ? Reach.UNANSWERED : Reach.ANSWERED);
		};
	}

	private static @Nullable String header(ClassicHttpResponse response, String name) {
		Header header = response.getFirstHeader(name);
		return (header != null) ? header.getValue() : null;
	}

	/**
	 * The body. If it is longer than any valid answer, its start, which is longer, too.
	 * The client discards the rest, within the deadline.
	 */
	private static byte[] body(ClassicHttpResponse response) throws IOException {
		HttpEntity entity = response.getEntity();
		return (entity != null) ? entity.getContent().readNBytes(BackendAnswer.MAX_BYTES + 1) : new byte[0];
	}

	private static String detail(int status, byte[] body) {
		return "the backend answered " + status + excerpt(body);
	}

	private static String excerpt(byte[] body) {
		String text = new String(body, 0, Math.min(body.length, MAX_EXCERPT_BYTES), StandardCharsets.UTF_8)
			.replaceAll("[\\p{Cntrl}\\s]+", " ")
			.strip();
		return text.isEmpty() ? "" : ": " + text.substring(0, Math.min(text.length(), MAX_EXCERPT_LENGTH));
	}

	private static String describe(Exception ex) {
		return (ex.getMessage() != null) ? ex.getMessage() : ex.getClass().getSimpleName();
	}

	@Override
	public void close() {
		this.deadlines.shutdownNow();
		this.client.close(CloseMode.IMMEDIATE);
	}

}
