package dev.sluice.gateway.backend;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.contract.BackendAnswer;
import dev.sluice.gateway.core.backend.BackendRequest;
import dev.sluice.gateway.core.backend.BackendResponse;
import dev.sluice.gateway.core.config.BackendProperties;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.util.AttributeKey;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.netty.NettyPipeline;
import reactor.netty.channel.AbortedException;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.ConnectionProvider;

/**
 * Sends requests to the backend over a pool of keep-alive connections. The caller bounds
 * the number of concurrent requests. Holds no thread: the response comes on an event
 * loop, which must not be blocked.
 */
@Component
final class BackendTransport implements DisposableBean {

	/** Of a connection that has had an answer. */
	private static final AttributeKey<Boolean> ANSWERED = AttributeKey.valueOf(BackendTransport.class, "answered");

	/**
	 * Of a request: whether it waits for its answer on such a connection. If that ends,
	 * the backend may have closed it just before the request came.
	 */
	private static final String STALE = "stale";

	private final ConnectionProvider connections;

	private final HttpClient client;

	BackendTransport(BackendProperties backend) {
		this.connections = ConnectionProvider.builder("backend")
			.maxConnections(backend.maxConcurrent())
			// No bound: the limit bounds the waiting calls. A call that times out
			// leaves it at once, but its wait for a connection ends a moment later, on an
			// event loop. With a bound, the pool would refuse the next call meanwhile.
			.pendingAcquireMaxCount(-1)
			.pendingAcquireTimeout(backend.connectTimeout())
			.maxIdleTime(backend.idleTimeout())
			.evictInBackground(backend.idleTimeout())
			.lifo()
			.metrics(true)
			.build();
		this.client = HttpClient.create(this.connections)
			.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(backend.connectTimeout().toMillis()))
			.doOnChannelInit((_, channel, _) -> {
				InformationalResponses responses = new InformationalResponses();
				channel.pipeline()
					.addBefore(NettyPipeline.HttpCodec, "received", responses.bytes())
					.addBefore(NettyPipeline.ReactiveBridge, "informational", responses);
			})
			.httpResponseDecoder((decoder) -> decoder.maxHeaderSize(BackendAnswer.MAX_BYTES))
			.disableRetry(true)
			.doOnRequest((request, connection) -> request.currentContextView()
				.<AtomicBoolean>get(STALE)
				.set(connection.channel().hasAttr(ANSWERED)))
			.doOnResponse((response, connection) -> {
				connection.channel().attr(ANSWERED).set(true);
				response.currentContextView().<AtomicBoolean>get(STALE).set(false);
			});
	}

	/**
	 * Sends a request, once more if its kept connection ends before the answer begins.
	 * @param request the request
	 * @param limit maximum time of the whole exchange; then the connection is closed
	 * @return the response; fails with {@link TimeoutException} at the limit and
	 * otherwise if there was no connection or it broke
	 */
	Mono<BackendResponse> send(BackendRequest request, Duration limit) {
		Mono<BackendResponse> response = this.client.headers((headers) -> {
			request.headers().forEach(headers::set);
			if (request.json().length > 0) {
				headers.set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
					.set(HttpHeaderNames.CONTENT_LENGTH, request.json().length);
			}
		})
			.request(HttpMethod.valueOf(request.method()))
			.uri(request.uri())
			.send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(request.json())))
			.response((head, content) -> content.asByteArray()
				.reduce(new byte[0], BackendTransport::append)
				.map((body) -> response(head, body)))
			.single();
		return Mono.defer(() -> {
			long startNanos = System.nanoTime();
			AtomicBoolean stale = new AtomicBoolean();
			// On a busy event loop another failure may be noticed before the time limit.
			return response
				.onErrorResume((failure) -> stale.getAndSet(false) && isEnd(failure),
						(_) -> response.map(BackendTransport::again))
				.contextWrite((context) -> context.put(STALE, stale))
				.timeout(limit)
				.onErrorMap((_) -> System.nanoTime() - startNanos >= limit.toNanos(),
						(failure) -> (failure instanceof TimeoutException) ? failure : new TimeoutException());
		});
	}

	private static boolean isEnd(Throwable failure) {
		return failure instanceof IOException || AbortedException.isConnectionReset(failure);
	}

	/** Discards what comes beyond the bound. */
	private static byte[] append(byte[] body, byte[] more) {
		if (body.length > BackendAnswer.MAX_BYTES) {
			return body;
		}
		if (body.length == 0) {
			return more;
		}
		byte[] both = Arrays.copyOf(body, body.length + more.length);
		System.arraycopy(more, 0, both, body.length, more.length);
		return both;
	}

	private static BackendResponse response(HttpClientResponse head, byte[] body) {
		int status = head.status().code();
		if (status < 100 || status > 999) {
			throw new IllegalStateException("The backend's response has the status " + status);
		}
		return new BackendResponse(status, head.responseHeaders().get(HttpHeaderNames.RETRY_AFTER), body, false);
	}

	private static BackendResponse again(BackendResponse response) {
		return new BackendResponse(response.status(), response.retryAfter(), response.body(), true);
	}

	@Override
	public void destroy() {
		this.connections.dispose();
	}

}
