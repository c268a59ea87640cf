package dev.sluice.backend;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.regex.Pattern;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.TooLongHttpContentException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.http.server.HttpServerRoutes;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.reactor.netty.NettyRouteProvider;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;

/**
 * The routes under load, {@code POST /orders} and {@code GET /{delayMillis}}. They are
 * reactor-netty handlers: WebFlux would cost more than the rest of a request, and the
 * backend shares its cores with the system under measurement. A handler can also reset
 * the connection, as a fault.
 * <p>
 * Confined to the event loop. A body is bounded to {@link Order#MAX_BYTES}.
 */
@Component
final class OrderRoutes implements NettyRouteProvider {

	private static final Pattern DELAY = Pattern.compile("/[0-9]{1,18}");

	private static final String ORDERS = "/orders";

	/** A UUID in quotes. */
	private static final Pattern KEY = Pattern
		.compile("\"\\p{XDigit}{8}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{12}\"");

	private final Backend backend;

	private final JsonMapper json;

	private final ObjectReader orderReader;

	OrderRoutes(Backend backend, JsonMapper json) {
		this.backend = backend;
		this.json = json;
		this.orderReader = json.readerFor(Order.class).with(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
	}

	@Override
	public HttpServerRoutes apply(HttpServerRoutes routes) {
		return routes
			.route((request) -> request.method().equals(HttpMethod.POST) && request.fullPath().equals(ORDERS),
					this::postOrder)
			.route((request) -> request.method().equals(HttpMethod.GET) && DELAY.matcher(request.fullPath()).matches(),
					this::getDelay);
	}

	private Publisher<Void> postOrder(HttpServerRequest request, HttpServerResponse response) {
		UUID id = orderId(request.requestHeaders().get(HttpNames.IDEMPOTENCY_KEY));
		if (id == null) {
			// The rest of the body is not read.
			response.keepAlive(false);
			return send(response, Answer.problem(ProblemType.INVALID_REQUEST,
					HttpNames.IDEMPOTENCY_KEY + " must be the order's id: a UUID in double quotes"));
		}
		return request.receive()
			.asByteArray()
			.reduceWith(ByteArrayOutputStream::new, OrderRoutes::append)
			.flatMap((body) -> take(id, body.toByteArray(), response))
			.onErrorResume(TooLongHttpContentException.class, (_) -> {
				response.keepAlive(false);
				return send(response,
						Answer.problem(ProblemType.TOO_LARGE, "The body is larger than " + Order.MAX_BYTES + " bytes"));
			});
	}

	private static ByteArrayOutputStream append(ByteArrayOutputStream body, byte[] chunk) {
		if (body.size() + chunk.length > Order.MAX_BYTES) {
			throw new TooLongHttpContentException();
		}
		body.writeBytes(chunk);
		return body;
	}

	/**
	 * Checks the shape of an order only: the gateways validate the values, and a second
	 * validation would distort the measurements.
	 */
	private Mono<Void> take(UUID id, byte[] body, HttpServerResponse response) {
		Order order;
		try {
			order = this.orderReader.readValue(body);
		}
		catch (JacksonException ex) {
			return send(response, Answer.problem(ProblemType.INVALID_ORDER, Answer.reason(ex)));
		}
		if (order == null || order.customerId() == null || order.items() == null || order.items().isEmpty()) {
			return send(response,
					Answer.problem(ProblemType.INVALID_ORDER, "An order has a customerId and at least one item"));
		}
		// The first 64 bits.
		long fingerprint = ByteBuffer.wrap(Fingerprint.sha256(body)).getLong();
		return this.backend.save(id, order.customerId(), fingerprint).flatMap((answer) -> send(response, answer));
	}

	private Publisher<Void> getDelay(HttpServerRequest request, HttpServerResponse response) {
		long delayMillis = Long.parseLong(request.fullPath().substring(1));
		if (delayMillis > Sampler.MAX_DELAY_MILLIS) {
			return send(response, Answer.problem(ProblemType.INVALID_REQUEST,
					"The delay must be at most " + Sampler.MAX_DELAY_MILLIS + " milliseconds"));
		}
		return this.backend.delay(delayMillis).flatMap((answer) -> send(response, answer));
	}

	private Mono<Void> send(HttpServerResponse response, Answer answer) {
		if (answer.status() == 0) {
			return close(response, answer.equals(Answer.RESET));
		}
		if (answer.retryAfterSeconds() > 0) {
			response.header(HttpHeaderNames.RETRY_AFTER, Long.toString(answer.retryAfterSeconds()));
		}
		byte[] bytes = this.json.writeValueAsBytes(answer.body());
		return response.status(answer.status())
			.header(HttpHeaderNames.CONTENT_TYPE,
					(answer.body() instanceof ProblemDetail) ? MediaType.APPLICATION_PROBLEM_JSON_VALUE
							: MediaType.APPLICATION_JSON_VALUE)
			.header(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(bytes.length))
			.sendObject(Unpooled.wrappedBuffer(bytes))
			.then();
	}

	private static Mono<Void> close(HttpServerResponse response, boolean reset) {
		response.withConnection((connection) -> {
			if (reset) {
				connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
			}
			connection.dispose();
		});
		// If this completed, the server would answer.
		return Mono.never();
	}

	private static @Nullable UUID orderId(@Nullable String key) {
		return (key != null && KEY.matcher(key).matches()) ? UUID.fromString(key.substring(1, key.length() - 1)) : null;
	}

}
