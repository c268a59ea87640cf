package dev.sluice.gateway.web;

import java.io.IOException;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.edge.GuardedHttp11Processor;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpMethod;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/**
 * Answers every error that the application or the framework raises with a problem
 * document (RFC 9457) of a {@link ProblemType}. Its text is written here or at the cause,
 * and never comes from an exception of a library.
 */
@RestControllerAdvice
final class Problems {

	private static final String HEALTH = "/actuator/health/";

	private static final Logger log = LoggerFactory.getLogger(Problems.class);

	@ExceptionHandler
	@Nullable ResponseEntity<ProblemDetail> problem(Exception failure, HttpMethod method, HttpServletRequest request)
			throws IOException {
		return switch (failure) {
			case ProblemException problem when problem.type().status() == 503 -> {
				// Tomcat closes the connection after any 503, so it does not get to write
				// them.
				GuardedHttp11Processor.answer(request, problem);
				yield null;
			}
			case ProblemException problem -> problem.toResponse(method);
			case AsyncRequestNotUsableException _ -> null;
			// Errors of the framework have a status, and headers such as Allow.
			case ErrorResponse known when known.getStatusCode().value() != 500 -> {
				ProblemType type = ProblemException.typeOf(known.getStatusCode().value());
				yield ProblemException.of(type).toResponse(method, known.getHeaders());
			}
			// Tomcat decodes parameters when the first one is read.
			case TypeMismatchException _, HttpMessageNotReadableException _, InvalidParameterException _ ->
				ProblemException.of(ProblemType.INVALID_REQUEST).toResponse(method);
			// Spring Boot 4.1 fails like this below a health component that does not
			// exist.
			case IllegalStateException _ when request.getRequestURI().startsWith(HEALTH) ->
				ProblemException.of(ProblemType.NOT_FOUND).toResponse(method);
			default -> {
				log.error("A request failed because of a bug", failure);
				yield ProblemException.of(ProblemType.INTERNAL).toResponse(method);
			}
		};
	}

}
