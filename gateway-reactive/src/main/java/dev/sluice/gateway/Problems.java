package dev.sluice.gateway;

import java.net.URI;
import java.util.Objects;

import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerResponse;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every error that the application or the framework raises, as a problem document (RFC
 * 9457) of a {@link ProblemType}. What a client is told of an error is written here or at
 * its cause, and never taken from an exception of a library. No {@code ControllerAdvice}:
 * WebFlux leaves out an advice's body where it cannot read the request's {@code Accept}.
 */
@Component
@org.springframework.core.annotation.Order(-1)
final class Problems implements ErrorWebExceptionHandler {

	private static final String HEALTH = "/actuator/health/";

	private static final Logger log = LoggerFactory.getLogger(Problems.class);

	private final JsonMapper mapper;

	Problems(JsonMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
		ServerHttpResponse response = exchange.getResponse();
		if (response.isCommitted()) {
			return Mono.error(failure);
		}
		if (isAnswered(response)) {
			return Mono.empty();
		}
		ResponseEntity<ProblemDetail> problem = problem(failure, exchange.getRequest());
		ProblemDetail document = Objects.requireNonNull(problem.getBody());
		document.setInstance(URI.create(exchange.getRequest().getURI().getRawPath()));
		byte[] body = this.mapper.writeValueAsBytes(document);
		response.setStatusCode(problem.getStatusCode());
		response.getHeaders().putAll(problem.getHeaders());
		response.getHeaders().setContentLength(body.length);
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
	}

	/** By reactor-netty itself, which does so where chunks cannot be read. */
	private static boolean isAnswered(ServerHttpResponse response) {
		return ServerHttpResponseDecorator.getNativeResponse(response) instanceof HttpServerResponse netty
				&& netty.hasSentHeaders();
	}

	private static ResponseEntity<ProblemDetail> problem(Throwable failure, ServerHttpRequest request) {
		HttpMethod method = request.getMethod();
		return switch (failure) {
			case ProblemException problem -> problem.toResponse(method);
			// What the framework raises has a status, and headers such as Allow.
			case ErrorResponse known when known.getStatusCode().value() != 500 -> {
				ProblemType type = typeOf(known.getStatusCode().value());
				yield new ProblemException(type, detailOf(type)).toResponse(method, known.getHeaders());
			}
			// Spring Boot 4.1 fails so below a health component that is not there.
			case IllegalStateException _ when request.getPath().value().startsWith(HEALTH) ->
				new ProblemException(ProblemType.NOT_FOUND, detailOf(ProblemType.NOT_FOUND)).toResponse(method);
			default -> {
				log.error("A request failed by a bug", failure);
				yield new ProblemException(ProblemType.INTERNAL, detailOf(ProblemType.INTERNAL)).toResponse(method);
			}
		};
	}

	static ProblemType typeOf(int status) {
		return switch (status) {
			case 404 -> ProblemType.NOT_FOUND;
			case 405 -> ProblemType.METHOD_NOT_ALLOWED;
			case 406 -> ProblemType.NOT_ACCEPTABLE;
			case 413 -> ProblemType.TOO_LARGE;
			case 415 -> ProblemType.UNSUPPORTED_MEDIA_TYPE;
			// A method or a version of HTTP that the container does not know.
			case 501, 505 -> ProblemType.INVALID_REQUEST;
			case 503 -> ProblemType.OVERLOADED;
			default -> (status < 500) ? ProblemType.INVALID_REQUEST : ProblemType.INTERNAL;
		};
	}

	/** For an error of which only the type is known. */
	static String detailOf(ProblemType type) {
		return switch (type) {
			case NOT_FOUND -> "Nothing is at this path.";
			case METHOD_NOT_ALLOWED -> "The header Allow lists the methods of this path.";
			case NOT_ACCEPTABLE -> "Only " + MediaType.APPLICATION_JSON_VALUE + " can be sent.";
			case TOO_LARGE -> "The body may have at most " + Order.MAX_BYTES + " bytes.";
			case UNSUPPORTED_MEDIA_TYPE -> "The body must be " + MediaType.APPLICATION_JSON_VALUE + ".";
			case INVALID_REQUEST -> "The request line, a header, a parameter or the body cannot be read.";
			case INTERNAL -> "The gateway failed; its log says why.";
			case INVALID_ORDER, IN_PROGRESS, NOT_REDELIVERABLE, KEY_REUSED, TOO_MANY_REQUESTS, BACKEND_REFUSED,
					BACKEND_UNAVAILABLE, QUEUE_UNAVAILABLE, STATUS_UNAVAILABLE, OVERLOADED, SHUTTING_DOWN,
					BACKEND_TIMEOUT ->
				type.title() + ".";
		};
	}

}
