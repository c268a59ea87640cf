package dev.sluice.gateway.web;

import java.io.IOException;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.edge.GuardedHttp11Processor;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/**
 * Answers every error that the application or the framework raises with a problem
 * document (RFC 9457) of a {@link ProblemType}, see {@link ProblemException#answer}.
 */
@RestControllerAdvice
final class Problems {

	@ExceptionHandler
	@Nullable ResponseEntity<byte[]> problem(Exception failure, HttpMethod method, HttpServletRequest request)
			throws IOException {
		return switch (failure) {
			case ProblemException problem when problem.type().status() == 503 -> {
				// Tomcat closes the connection after any 503, so it does not get to write
				// them.
				GuardedHttp11Processor.answer(request, problem);
				yield null;
			}
			case AsyncRequestNotUsableException _ -> null;
			// Tomcat decodes parameters when the first one is read.
			case InvalidParameterException _ ->
				ProblemException.of(ProblemType.INVALID_REQUEST).toResponse(method, request.getRequestURI());
			default -> ProblemException.answer(failure, method, request.getRequestURI());
		};
	}

}
