package dev.sluice.gateway.backend;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.edge.Deadlines;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.httpcomponents.hc5.PoolingHttpClientConnectionManagerMetricsBinder;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/** The exchange that holds the calling thread, platform or virtual, until it is over. */
public final class BlockingBackendTransport implements BackendTransport {

	/** Without a charset, which JSON has not. */
	private static final ContentType JSON = ContentType.create("application/json");

	private final CloseableHttpClient client;

	private final Deadlines deadlines = new Deadlines("backend-deadlines");

	public BlockingBackendTransport(BackendProperties backend, MeterRegistry meters) {
		PoolingHttpClientConnectionManager connections = PoolingHttpClientConnectionManagerBuilder.create()
			.setMaxConnTotal(backend.maxConcurrent())
			.setMaxConnPerRoute(backend.maxConcurrent())
			.setDefaultConnectionConfig(ConnectionConfig.custom()
				.setConnectTimeout(Timeout.of(backend.connectTimeout()))
				.setValidateAfterInactivity(TimeValue.ofSeconds(1))
				.build())
			.build();
		new PoolingHttpClientConnectionManagerMetricsBinder(connections, "backend").bindTo(meters);
		this.client = HttpClients.custom()
			.setConnectionManager(connections)
			.setDefaultRequestConfig(RequestConfig.custom()
				// The bulkhead has as many places as the pool: a connection is free.
				.setConnectionRequestTimeout(Timeout.of(backend.connectTimeout()))
				.setResponseTimeout(Timeout.of(backend.responseTimeout()))
				.setProtocolUpgradeEnabled(false)
				.build())
			.evictExpiredConnections()
			.evictIdleConnections(TimeValue.of(backend.idleTimeout()))
			// The caller decides what is tried again.
			.disableAutomaticRetries()
			.disableRedirectHandling()
			.disableCookieManagement()
			.disableAuthCaching()
			.disableContentCompression()
			.build();
	}

	@Override
	public CompletionStage<BackendResponse> send(BackendRequest request, Duration limit) {
		HttpUriRequestBase http = new HttpUriRequestBase(request.method(), request.uri());
		request.headers().forEach(http::setHeader);
		if (request.json().length > 0) {
			http.setEntity(new ByteArrayEntity(request.json(), JSON));
		}
		// The client's own time limits are for one read; a backend that trickles resets
		// them.
		AtomicBoolean late = new AtomicBoolean();
		Future<?> deadline = this.deadlines.after(limit, () -> {
			late.set(true);
			http.cancel();
		});
		try {
			return CompletableFuture.completedFuture(this.client.execute(http, BlockingBackendTransport::answer));
		}
		catch (IOException ex) {
			return CompletableFuture.failedFuture(late.get() ? new TimeoutException() : BackendTransport.failure(ex));
		}
		catch (RuntimeException ex) {
			// A client that is cancelled between a connection's lease and its use
			// fails in ways of its own: the connection is gone under it.
			if (!late.get()) {
				throw ex;
			}
			return CompletableFuture.failedFuture(new TimeoutException());
		}
		finally {
			deadline.cancel(false);
		}
	}

	private static BackendResponse answer(ClassicHttpResponse response) throws IOException {
		String retryAfter = BackendTransport.retryAfter(response);
		HttpEntity entity = response.getEntity();
		if (entity == null) {
			return new BackendResponse(response.getCode(), retryAfter, new byte[0]);
		}
		try (InputStream content = entity.getContent()) {
			byte[] body = content.readNBytes(MAX_ANSWER_BYTES + 1);
			if (body.length > MAX_ANSWER_BYTES) {
				throw new IOException("The backend's answer is larger than " + MAX_ANSWER_BYTES + " bytes");
			}
			return new BackendResponse(response.getCode(), retryAfter, body);
		}
	}

	@Override
	public void close() {
		this.client.close(CloseMode.GRACEFUL);
		this.deadlines.close();
	}

}
