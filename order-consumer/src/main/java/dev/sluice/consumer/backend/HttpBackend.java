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
import java.time.format.DateTimeParseException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.ProblemType;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

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

	/** Size of each of a connection's three buffers. The default is 32 KB. */
	private static final int BUFFER_BYTES = 8 * 1024;

	/** Longest part of an answer in a failure's detail, in characters. */
	private static final int MAX_EXCERPT_LENGTH = 200;

	/** Longest part of an answer's body that is read, in bytes. */
	private static final int MAX_BODY_LENGTH = 8 * 1024;

	/** The latest time that the status can store. */
	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private final URI orders;

	private final BackendProperties properties;

	private final PoolingHttpClientConnectionManager connections;

	private final CloseableHttpClient client;

	private final ScheduledThreadPoolExecutor deadlines;

	private final JsonFactory json = new JsonFactory();

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
			.setConnectionFactory(ManagedHttpClientConnectionFactory.builder()
				.http1Config(Http1Config.custom().setBufferSize(BUFFER_BYTES).build())
				.build())
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
		ScheduledFuture<?> deadline = this.deadlines.schedule(request::cancel,
				this.properties.connectTimeout().plus(this.properties.responseTimeout()).toNanos(),
				TimeUnit.NANOSECONDS);
		try {
			return this.client.execute(request, this::judge);
		}
		catch (ConnectException | ConnectTimeoutException | UnknownHostException | NoRouteToHostException ex) {
			return new RetryLater(FailureReason.unreachable("the backend cannot be reached: " + ex.getMessage()),
					false);
		}
		catch (IOException ex) {
			String detail = "the backend did not answer: " + describe(ex);
			// Not deadline.isDone(), which becomes true after the cancellation: this
			// thread may be faster.
			boolean late = ex instanceof SocketTimeoutException || request.isCancelled();
			return new RetryLater(late ? FailureReason.notAnsweredWithin(this.properties.responseTimeout(), detail)
					: FailureReason.connectionLost(detail), true);
		}
		catch (RuntimeException ex) {
			// A request that is cancelled between a connection's lease and its use fails
			// with such an exception, too. Otherwise it is a bug, which must not lose the
			// order: it becomes a dead letter.
			return new RetryLater(request.isCancelled()
					? FailureReason.notAnsweredWithin(this.properties.responseTimeout(),
							"the backend did not answer: " + describe(ex))
					: FailureReason.interrupted("the delivery failed with a bug: " + describe(ex)), true);
		}
		finally {
			deadline.cancel(false);
		}
	}

	private Attempt judge(ClassicHttpResponse response) throws IOException {
		int status = response.getCode();
		byte[] body = body(response);
		if (status >= 200 && status < 300) {
			return new Saved(savedAt(body));
		}
		String detail = "the backend answered " + status + excerpt(body);
		Duration retryAfter = RetryAfter.parse(header(response, HttpHeaders.RETRY_AFTER), this.clock.instant());
		return switch (status) {
			case HttpStatus.SC_TOO_MANY_REQUESTS ->
				new Throttled(FailureReason.throttled(detail), (retryAfter != null) ? retryAfter : Duration.ZERO);
			case HttpStatus.SC_SERVICE_UNAVAILABLE ->
				(retryAfter != null) ? new Throttled(FailureReason.throttled(detail), retryAfter)
						: new RetryLater(FailureReason.failed(status, detail), true);
			case HttpStatus.SC_REQUEST_TIMEOUT, HttpStatus.SC_TOO_EARLY ->
				new RetryLater(FailureReason.failed(status, detail), true);
			case HttpStatus.SC_UNPROCESSABLE_ENTITY ->
				isKeyReused(body) ? new Conflict(FailureReason.otherPayload(detail))
						: new Rejected(FailureReason.refused(status, detail));
			default -> (status >= 400 && status < 500) ? new Rejected(FailureReason.refused(status, detail))
					: new RetryLater(FailureReason.failed(status, detail), true);
		};
	}

	private static @Nullable String header(ClassicHttpResponse response, String name) {
		Header header = response.getFirstHeader(name);
		return (header != null) ? header.getValue() : null;
	}

	/** The start of the body. The client discards the rest, within the deadline. */
	private static byte[] body(ClassicHttpResponse response) throws IOException {
		HttpEntity entity = response.getEntity();
		return (entity != null) ? entity.getContent().readNBytes(MAX_BODY_LENGTH) : new byte[0];
	}

	private @Nullable Instant savedAt(byte[] body) {
		String text = field(body, "savedAt");
		try {
			Instant at = (text != null) ? Instant.parse(text) : null;
			return (at == null || at.isBefore(Instant.EPOCH) || at.isAfter(LATEST)) ? null : at;
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

	private boolean isKeyReused(byte[] body) {
		return ProblemType.KEY_REUSED.type().toString().equals(field(body, "type"));
	}

	/**
	 * A string of a JSON object; null if it is missing or the body is not a JSON object.
	 */
	private @Nullable String field(byte[] body, String name) {
		try (JsonParser parser = this.json.createParser(ObjectReadContext.empty(), body)) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				return null;
			}
			while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
				boolean wanted = name.equals(parser.currentName());
				if (parser.nextToken() == JsonToken.VALUE_STRING && wanted) {
					return parser.getString();
				}
				parser.skipChildren();
			}
			return null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	private static String excerpt(byte[] body) {
		String text = new String(body, StandardCharsets.UTF_8).replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
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
