package dev.sluice.gateway.web;

import java.util.Objects;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Answers every error that the application or the framework raises with a problem
 * document (RFC 9457) of a {@link ProblemType}, see {@link ProblemException#answer}. Not
 * a {@code ControllerAdvice}: WebFlux omits its body if it cannot read the request's
 * {@code Accept}.
 */
@Component
@Order(-1)
final class Problems implements ErrorWebExceptionHandler {

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
		ServerHttpResponse response = exchange.getResponse();
		if (response.isCommitted()) {
			return Mono.error(failure);
		}
		String path = exchange.getRequest().getURI().getRawPath();
		ResponseEntity<byte[]> problem = ProblemException.answer(failure, exchange.getRequest().getMethod(),
				path.isEmpty() ? "/" : path);
		byte[] body = Objects.requireNonNull(problem.getBody());
		response.setStatusCode(problem.getStatusCode());
		response.getHeaders().putAll(problem.getHeaders());
		response.getHeaders().setContentLength(body.length);
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
	}

}
