package dev.sluice.gateway.web;

import java.io.IOException;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.StandardProblem;
import dev.sluice.gateway.edge.GuardedHttp11Processor;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Answers every error that the application or the framework raises with a problem
 * document (RFC 9457) of a {@link ProblemType}. Its text is written here or at the cause,
 * and never comes from an exception of a library.
 */
@RestControllerAdvice
final class Problems extends ResponseEntityExceptionHandler {

	private static final String HEALTH = "/actuator/health/";

	private static final Logger log = LoggerFactory.getLogger(Problems.class);

	/** Tomcat closes the connection after any 503, so it does not get to write them. */
	@ExceptionHandler
	@Nullable ResponseEntity<ProblemDetail> problem(ProblemException ex, HttpMethod method, HttpServletRequest request)
			throws IOException {
		if (ex.type().status() != 503) {
			return ex.toResponse(method);
		}
		GuardedHttp11Processor.answer(request, ex);
		return null;
	}

	/** Tomcat decodes parameters when the first one is read. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> unreadable(InvalidParameterException ex, HttpMethod method) {
		return of(ProblemType.INVALID_REQUEST, method);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unexpected(IllegalStateException ex, HttpServletRequest request, HttpMethod method) {
		// Spring Boot 4.1 fails like this below a health component that does not exist.
		return request.getRequestURI().startsWith(HEALTH) ? of(ProblemType.NOT_FOUND, method) : bug(ex, method);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> bug(Exception ex, HttpMethod method) {
		log.error("A request failed because of a bug", ex);
		return of(ProblemType.INTERNAL, method);
	}

	private static ResponseEntity<ProblemDetail> of(ProblemType type, HttpMethod method) {
		return StandardProblem.of(type).toResponse(method);
	}

	/** Errors of the framework have a status, and headers such as {@code Allow}. */
	@Override
	protected ResponseEntity<Object> handleExceptionInternal(Exception ex, @Nullable Object body, HttpHeaders headers,
			HttpStatusCode status, WebRequest request) {
		HttpMethod method = ((ServletWebRequest) request).getHttpMethod();
		ProblemType type = StandardProblem.typeOf(status.value());
		ResponseEntity<ProblemDetail> response = (status.value() == 500) ? bug(ex, method)
				: StandardProblem.of(type).toResponse(method, headers);
		return new ResponseEntity<>(response.getBody(), response.getHeaders(), response.getStatusCode());
	}

}
