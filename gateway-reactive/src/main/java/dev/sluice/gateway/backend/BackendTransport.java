package dev.sluice.gateway.backend;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.config.BackendProperties;
import io.netty.channel.ChannelOption;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.stereotype.Component;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/**
 * One request to the backend and its answer, over a pool of kept connections. Holds no
 * thread: the answer comes on an event loop, which must not be blocked. Who calls bounds
 * how many at once.
 */
@Component
public final class BackendTransport implements DisposableBean {

	/** The largest answer that is read, in bytes. An answer is far smaller. */
	private static final int MAX_ANSWER_BYTES = 64 * 1024;

	private final ConnectionProvider connections;

	private final WebClient client;

	public BackendTransport(BackendProperties backend) {
		this.connections = ConnectionProvider.builder("backend")
			.maxConnections(backend.maxConcurrent())
			// The bulkhead has as many places as the pool. A connection may still be on
			// its
			// way back when its place is free, so one waiter a connection, and not for
			// long.
			.pendingAcquireMaxCount(backend.maxConcurrent())
			.pendingAcquireTimeout(backend.connectTimeout())
			.maxIdleTime(backend.idleTimeout())
			.evictInBackground(backend.idleTimeout())
			.lifo()
			.metrics(true)
			.build();
		HttpClient http = HttpClient.create(this.connections)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(backend.connectTimeout().toMillis()))
			// The caller decides what is tried again.
			.disableRetry(true);
		this.client = WebClient.builder()
			.clientConnector(new ReactorClientHttpConnector(http))
			.codecs((codecs) -> codecs.defaultCodecs().maxInMemorySize(MAX_ANSWER_BYTES))
			.build();
	}

	/**
	 * Sends a request.
	 * @param request what to send
	 * @param limit how long it may take in all; then the connection is closed
	 * @return the answer; fails with {@link TimeoutException} at the limit and otherwise
	 * if there was no connection or it broke
	 */
	public Mono<BackendResponse> send(BackendRequest request, Duration limit) {
		WebClient.RequestBodySpec http = this.client.method(HttpMethod.valueOf(request.method())).uri(request.uri());
		request.headers().forEach(http::header);
		if (request.json().length > 0) {
			http.contentType(MediaType.APPLICATION_JSON).bodyValue(request.json());
		}
		Mono<BackendResponse> answer = http.exchangeToMono((response) -> response.bodyToMono(byte[].class)
			.defaultIfEmpty(new byte[0])
			.map((body) -> new BackendResponse(response.statusCode().value(),
					response.headers().asHttpHeaders().getFirst(HttpHeaders.RETRY_AFTER), body)));
		return Mono.defer(() -> {
			long startNanos = System.nanoTime();
			// On a busy event loop another failure may be noticed before the time limit.
			return answer.timeout(limit)
				.onErrorMap((_) -> System.nanoTime() - startNanos >= limit.toNanos(),
						(failure) -> (failure instanceof TimeoutException) ? failure : new TimeoutException());
		});
	}

	@Override
	public void destroy() {
		this.connections.dispose();
	}

}
