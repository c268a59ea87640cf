package dev.sluice.consumer.delivery;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.sluice.consumer.delivery.Attempt.Rejected;
import dev.sluice.consumer.delivery.Attempt.RetryLater;
import dev.sluice.consumer.delivery.Attempt.Saved;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.OrderHeaders;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;

/**
 * The backend over HTTP: {@code POST /orders} under the order's id, so that a repeat is
 * saved once. A blocking client for virtual threads, with as many connections as orders
 * may be in delivery. No retries, redirects or cookies of the client's own.
 * <p>
 * One thread beside the callers': it ends exchanges at their deadline, which a socket
 * timeout alone does not, since an answer may come in byte by byte.
 */
final class HttpBackend implements Backend, AutoCloseable {

	/** Of a refusal's text, what is kept. In characters. */
	private static final int LONGEST_EXCERPT = 200;

	/** Of a refusal's body, what is read. In bytes. */
	private static final int LONGEST_BODY = 8 * 1024;

	private final URI orders;

	private final BackendProperties properties;

	private final RequestConfig requestConfig;

	private final PoolingHttpClientConnectionManager connections;

	private final CloseableHttpClient client;

	private final ScheduledThreadPoolExecutor deadlines;

	HttpBackend(BackendProperties properties, int connections) {
		this.orders = properties.url().resolve("/orders");
		this.properties = properties;
		Timeout response = Timeout.of(properties.responseTimeout());
		// The gate lets in no more than there are connections: to wait for one is a bug.
		this.requestConfig = RequestConfig.custom()
			.setConnectionRequestTimeout(response)
			.setResponseTimeout(response)
			.build();
		this.connections = PoolingHttpClientConnectionManagerBuilder.create()
			.setMaxConnTotal(connections)
			.setMaxConnPerRoute(connections)
			.setDefaultConnectionConfig(ConnectionConfig.custom()
				.setConnectTimeout(Timeout.of(properties.connectTimeout()))
				.setSocketTimeout(response)
				.setIdleTimeout(Timeout.of(properties.idleTimeout()))
				.build())
			.build();
		this.client = HttpClients.createMinimal(this.connections);
		this.deadlines = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("backend-deadlines").factory());
		// Nearly all are cancelled: they must not stay until their time comes.
		this.deadlines.setRemoveOnCancelPolicy(true);
	}

	PoolingHttpClientConnectionManager connections() {
		return this.connections;
	}

	@Override
	public Attempt deliver(QueuedOrder order) {
		HttpPost request = new HttpPost(this.orders);
		request.setConfig(this.requestConfig);
		request.setHeader(HttpNames.IDEMPOTENCY_KEY, "\"" + order.id() + "\"");
		if (order.traceparent() != null) {
			request.setHeader(OrderHeaders.TRACEPARENT, order.traceparent());
		}
		request.setEntity(new ByteArrayEntity(order.body(), ContentType.APPLICATION_JSON));
		try {
			ScheduledFuture<?> deadline = this.deadlines.schedule(request::cancel,
					this.properties.connectTimeout().plus(this.properties.responseTimeout()).toNanos(),
					TimeUnit.NANOSECONDS);
			try {
				return this.client.execute(request, HttpBackend::judge);
			}
			finally {
				deadline.cancel(false);
			}
		}
		catch (ConnectException | ConnectTimeoutException | UnknownHostException | NoRouteToHostException ex) {
			return new RetryLater("the backend cannot be reached: " + ex.getMessage(), false);
		}
		catch (IOException ex) {
			return new RetryLater("the backend did not answer: " + describe(ex), true);
		}
		catch (RuntimeException ex) {
			// A bug is no reason to lose the order: it ends as a dead letter.
			return new RetryLater("the delivery broke off: " + describe(ex), true);
		}
	}

	private static Attempt judge(ClassicHttpResponse response) throws IOException {
		int status = response.getCode();
		if (status >= 200 && status < 300) {
			EntityUtils.consume(response.getEntity());
			return new Saved();
		}
		if (status >= 400 && status < 500 && status != 408 && status != 425 && status != 429) {
			return new Rejected("the backend answered " + status + excerpt(response));
		}
		EntityUtils.consume(response.getEntity());
		return new RetryLater("the backend answered " + status, true);
	}

	private static String excerpt(ClassicHttpResponse response) throws IOException {
		if (response.getEntity() == null) {
			return "";
		}
		// What is longer costs the connection, not memory.
		byte[] body = response.getEntity().getContent().readNBytes(LONGEST_BODY);
		String text = new String(body, StandardCharsets.UTF_8).replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
		return text.isEmpty() ? "" : ": " + text.substring(0, Math.min(text.length(), LONGEST_EXCERPT));
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
