package dev.sluice.gateway;

import dev.sluice.contract.ProblemType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** What fails outside the controllers, such as in a filter, as a problem document. */
@Component
@Order(-1)
final class ErrorPage implements ErrorWebExceptionHandler {

	private static final Logger logger = LoggerFactory.getLogger(ErrorPage.class);

	private final JsonMapper mapper;

	ErrorPage(JsonMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
		ServerHttpResponse response = exchange.getResponse();
		if (response.isCommitted()) {
			return Mono.error(failure);
		}
		HttpStatusCode status = (failure instanceof ResponseStatusException known) ? known.getStatusCode() : null;
		if (status == null || status.is5xxServerError()) {
			logger.error("A request failed by a bug", failure);
		}
		ProblemType type = Problems.typeOf((status != null) ? status.value() : 500);
		ResponseEntity<Object> problem = new ProblemException(type, Problems.detailOf(type)).toResponse();
		response.setStatusCode(problem.getStatusCode());
		response.getHeaders().putAll(problem.getHeaders());
		byte[] body = this.mapper.writeValueAsBytes(problem.getBody());
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
	}

}
