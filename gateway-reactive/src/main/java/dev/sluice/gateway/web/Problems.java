package dev.sluice.gateway.web;

import java.net.URI;
import java.util.Objects;

import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.http.HttpMethod;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers every error that the application or the framework raises with a problem
 * document (RFC 9457) of a {@link ProblemType}. Its text is written here or at the cause,
 * and never comes from an exception of a library. Not a {@code ControllerAdvice}: WebFlux
 * omits its body if it cannot read the request's {@code Accept}.
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
		ResponseEntity<ProblemDetail> problem = problem(failure, exchange.getRequest());
		ProblemDetail document = Objects.requireNonNull(problem.getBody());
		String path = exchange.getRequest().getURI().getRawPath();
		document.setInstance(URI.create(path.isEmpty() ? "/" : path));
		byte[] body = this.mapper.writeValueAsBytes(document);
		response.setStatusCode(problem.getStatusCode());
		response.getHeaders().putAll(problem.getHeaders());
		response.getHeaders().setContentLength(body.length);
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
	}

	private static ResponseEntity<ProblemDetail> problem(Throwable failure, ServerHttpRequest request) {
		HttpMethod method = request.getMethod();
		return switch (failure) {
			case ProblemException problem -> problem.toResponse(method);
			// Errors of the framework have a status, and headers such as Allow.
			case ErrorResponse known when known.getStatusCode().value() != 500 -> {
				ProblemType type = ProblemException.typeOf(known.getStatusCode().value());
				yield ProblemException.of(type).toResponse(method, known.getHeaders());
			}
			// Spring Boot 4.1 fails like this below a health component that does not
			// exist.
			case IllegalStateException _ when request.getPath().value().startsWith(HEALTH) ->
				ProblemException.of(ProblemType.NOT_FOUND).toResponse(method);
			default -> {
				log.error("A request failed because of a bug", failure);
				yield ProblemException.of(ProblemType.INTERNAL).toResponse(method);
			}
		};
	}

}
