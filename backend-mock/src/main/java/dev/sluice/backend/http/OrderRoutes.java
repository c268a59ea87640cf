package dev.sluice.backend.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

import dev.sluice.backend.loop.Loop;
import dev.sluice.backend.model.Backend;
import dev.sluice.backend.model.Sampler;
import dev.sluice.backend.store.Answer;
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
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;

/**
 * The routes under load, {@code POST /orders} and {@code GET /{delayMillis}}. They are
 * reactor-netty handlers: WebFlux would cost more than the rest of a request, and the
 * backend shares its cores with the system under measurement. A handler can also reset
 * the connection, as a fault.
 * <p>
 * Confined to the {@link Loop}. A body is bounded to {@link Order#MAX_BYTES}.
 */
public final class OrderRoutes implements NettyRouteProvider {

	private static final Pattern DELAY = Pattern.compile("/[0-9]{1,18}");

	private static final String ORDERS = "/orders";

	/** Length of a UUID in quotes. */
	private static final int KEY_LENGTH = 38;

	private final Backend backend;

	private final JsonMapper json;

	private final ObjectReader orderReader;

	private final MessageDigest sha256;

	public OrderRoutes(Backend backend, JsonMapper json) {
		this.backend = backend;
		this.json = json;
		this.orderReader = json.readerFor(Order.class)
			.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
		try {
			this.sha256 = MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
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
			return send(response, problem(ProblemType.INVALID_REQUEST,
					HttpNames.IDEMPOTENCY_KEY + " must be the order's id: a UUID in double quotes"));
		}
		return request.receive()
			.asByteArray()
			.reduceWith(ByteArrayOutputStream::new, OrderRoutes::append)
			.flatMap((body) -> take(id, body.toByteArray(), response))
			.onErrorResume(TooLongHttpContentException.class, (_) -> {
				response.keepAlive(false);
				return send(response,
						problem(ProblemType.TOO_LARGE, "The body is larger than " + Order.MAX_BYTES + " bytes"));
			});
	}

	private static ByteArrayOutputStream append(ByteArrayOutputStream body, byte[] chunk) {
		if (body.size() + chunk.length > Order.MAX_BYTES) {
			throw new TooLongHttpContentException();
		}
		body.writeBytes(chunk);
		return body;
	}

	private Mono<Void> take(UUID id, byte[] body, HttpServerResponse response) {
		Order order;
		try {
			order = read(body);
		}
		catch (JacksonException ex) {
			return send(response, problem(ProblemType.INVALID_ORDER, JsonProblem.of(ex).toString()));
		}
		if (order == null) {
			return send(response,
					problem(ProblemType.INVALID_ORDER, "An order has a customerId and at least one item"));
		}
		long fingerprint = fingerprint(body);
		return answer((reply) -> this.backend.save(id, order.customerId(), fingerprint, reply), response);
	}

	private Publisher<Void> getDelay(HttpServerRequest request, HttpServerResponse response) {
		long delayMillis = Long.parseLong(request.fullPath().substring(1));
		if (delayMillis > Sampler.MAX_DELAY_MILLIS) {
			return send(response, problem(ProblemType.INVALID_REQUEST,
					"The delay must be at most " + Sampler.MAX_DELAY_MILLIS + " milliseconds"));
		}
		return answer((reply) -> this.backend.delay(delayMillis, reply), response);
	}

	private Mono<Void> answer(Function<Consumer<Answer>, Runnable> call, HttpServerResponse response) {
		return Mono.<Answer>create((sink) -> sink.onCancel(call.apply(sink::success)::run))
			.flatMap((answer) -> send(response, answer));
	}

	private Mono<Void> send(HttpServerResponse response, Answer answer) {
		return switch (answer) {
			case Answer.Saved(var order) -> send(response, 201, MediaType.APPLICATION_JSON_VALUE, order);
			case Answer.Repeated(var order) -> send(response, 200, MediaType.APPLICATION_JSON_VALUE, order);
			case Answer.Delayed delayed -> send(response, 200, MediaType.APPLICATION_JSON_VALUE, delayed);
			case Answer.KeyReused(var id) -> send(response, problem(ProblemType.KEY_REUSED,
					"Order " + id + " was saved with another body; send that body or use another id"));
			case Answer.StoreFull(var orders) -> send(response, problem(507,
					orders + " orders are saved, as many as backend.max-orders allows; DELETE /audit forgets them"));
			case Answer.StoreUnavailable() ->
				send(response, problem(503, "The store did not answer in time. The order is probably not saved"));
			case Answer.NoCapacity() -> send(response, problem(503, "Every worker is busy and the queue is full"));
			case Answer.Throttled(var seconds) -> {
				response.header(HttpHeaderNames.RETRY_AFTER, Long.toString(seconds));
				yield send(response, problem(ProblemType.TOO_MANY_REQUESTS, "The rate is used up"));
			}
			case Answer.TooManyInFlight(var limit) -> send(response,
					problem(503, limit + " requests are in flight, as many as backend.max-in-flight allows"));
			case Answer.Failed(var status) -> send(response, problem(status, "A fault that PUT /behaviour asked for"));
			case Answer.Reset() -> close(response, true);
			case Answer.Abandoned() -> close(response, false);
		};
	}

	private Mono<Void> send(HttpServerResponse response, ProblemDetail problem) {
		return send(response, problem.getStatus(), MediaType.APPLICATION_PROBLEM_JSON_VALUE, problem);
	}

	private Mono<Void> send(HttpServerResponse response, int status, String contentType, Object body) {
		byte[] bytes = this.json.writeValueAsBytes(body);
		return response.status(status)
			.header(HttpHeaderNames.CONTENT_TYPE, contentType)
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

	static ProblemDetail problem(ProblemType type, String detail) {
		ProblemDetail problem = problem(type.status(), detail);
		problem.setType(type.type());
		problem.setTitle(type.title());
		return problem;
	}

	static ProblemDetail problem(int status, String detail) {
		return ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(status), detail);
	}

	private static @Nullable UUID orderId(@Nullable String key) {
		if (key == null || key.length() != KEY_LENGTH || key.charAt(0) != '"' || key.charAt(KEY_LENGTH - 1) != '"') {
			return null;
		}
		try {
			return UUID.fromString(key.substring(1, KEY_LENGTH - 1));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Reads an order; null if a mandatory field is missing. It checks the shape only: the
	 * gateways validate the values, and a second validation would distort the
	 * measurements.
	 */
	private @Nullable Order read(byte[] body) {
		Order order = this.orderReader.readValue(body);
		boolean whole = order != null && order.customerId() != null && order.items() != null
				&& !order.items().isEmpty();
		return whole ? order : null;
	}

	/** The first 64 bits of the body's SHA-256. */
	private long fingerprint(byte[] body) {
		return ByteBuffer.wrap(this.sha256.digest(body)).getLong();
	}

}
