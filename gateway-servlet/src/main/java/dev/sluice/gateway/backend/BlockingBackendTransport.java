package dev.sluice.gateway.backend;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.contract.BackendAnswer;
import dev.sluice.contract.client.BackendConnections;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.config.BackendProperties;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.httpcomponents.hc5.PoolingHttpClientConnectionManagerMetricsBinder;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.stereotype.Component;

/** Holds the calling thread, platform or virtual, until the response has arrived. */
@Component
@ConditionalOnExpression("!'async'.equalsIgnoreCase('${sluice.threads:}')")
final class BlockingBackendTransport implements BackendTransport {

	private final CloseableHttpClient client;

	private final ScheduledExecutorService deadlines = BackendTransport.deadlines();

	BlockingBackendTransport(BackendProperties backend, MeterRegistry meters) {
		PoolingHttpClientConnectionManager connections = PoolingHttpClientConnectionManagerBuilder.create()
			.setMaxConnTotal(backend.maxConcurrent())
			.setMaxConnPerRoute(backend.maxConcurrent())
			.setDefaultConnectionConfig(BackendTransport.connectionConfig(backend))
			.setConnectionFactory(new BackendConnections())
			.build();
		new PoolingHttpClientConnectionManagerMetricsBinder(connections, "backend").bindTo(meters);
		this.client = HttpClients.custom()
			.setConnectionManager(connections)
			.setDefaultRequestConfig(BackendTransport.requestConfig(backend))
			.evictExpiredConnections()
			.evictIdleConnections(TimeValue.of(backend.idleTimeout()))
			.setRetryStrategy(new StaleConnections())
			.disableRedirectHandling()
			.disableCookieManagement()
			.disableAuthCaching()
			.disableContentCompression()
			.build();
	}

	@Override
	public BackendResponse send(BackendRequest request, Duration limit) throws IOException, TimeoutException {
		HttpUriRequestBase http = new HttpUriRequestBase(request.method(), request.uri());
		request.headers().forEach(http::setHeader);
		if (request.json().length > 0) {
			http.setEntity(new ByteArrayEntity(request.json(), JSON));
		}
		// The client's own time limits are for one read: a backend that trickles restarts
		// them.
		AtomicBoolean late = new AtomicBoolean();
		Future<?> deadline = this.deadlines.schedule(() -> {
			late.set(true);
			http.cancel();
		}, limit.toNanos(), TimeUnit.NANOSECONDS);
		try {
			HttpClientContext context = HttpClientContext.create();
			return this.client.execute(http, context,
					(response) -> response(response, StaleConnections.sentAgain(context)));
		}
		catch (IOException | RuntimeException ex) {
			// A request that is cancelled between the lease of a connection and its use
			// fails with any exception, because the client has lost the connection.
			if (late.get() || BackendTransport.failure(ex) instanceof TimeoutException) {
				throw new TimeoutException();
			}
			throw ex;
		}
		finally {
			deadline.cancel(false);
		}
	}

	private static BackendResponse response(ClassicHttpResponse response, boolean again) throws IOException {
		HttpEntity entity = response.getEntity();
		// The client discards what is longer, within the deadline.
		byte[] body = (entity != null) ? entity.getContent().readNBytes(BackendAnswer.MAX_BYTES + 1) : new byte[0];
		return new BackendResponse(response.getCode(), BackendTransport.retryAfter(response), body, again);
	}

	@Override
	public void close() {
		this.client.close(CloseMode.GRACEFUL);
		this.deadlines.shutdownNow();
	}

}
