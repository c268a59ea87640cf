package dev.sluice.gateway;

import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/**
 * Every error that the application or the framework raises, as a problem document (RFC
 * 9457) of a {@link ProblemType}. What a client is told of an error is written here or at
 * its cause, and never taken from an exception of a library.
 */
@RestControllerAdvice
final class Problems extends ResponseEntityExceptionHandler {

	private static final String HEALTH = "/actuator/health/";

	private static final Logger log = LoggerFactory.getLogger(Problems.class);

	@ExceptionHandler
	ResponseEntity<ProblemDetail> problem(ProblemException ex, HttpMethod method) {
		return ex.toResponse(method);
	}

	/** Parameters that are not decoded before somebody wants one. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> unreadable(InvalidParameterException ex, HttpMethod method) {
		return of(ProblemType.INVALID_REQUEST, method);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unexpected(IllegalStateException ex, HttpServletRequest request, HttpMethod method) {
		// Spring Boot 4.1 fails so below a health component that is not there.
		return request.getRequestURI().startsWith(HEALTH) ? of(ProblemType.NOT_FOUND, method) : bug(ex, method);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> bug(Exception ex, HttpMethod method) {
		log.error("A request failed by a bug", ex);
		return of(ProblemType.INTERNAL, method);
	}

	private static ResponseEntity<ProblemDetail> of(ProblemType type, HttpMethod method) {
		return new ProblemException(type, detailOf(type)).toResponse(method);
	}

	/** What the framework raises has a status, and headers such as {@code Allow}. */
	@Override
	protected ResponseEntity<Object> handleExceptionInternal(Exception ex, @Nullable Object body, HttpHeaders headers,
			HttpStatusCode status, WebRequest request) {
		HttpMethod method = ((ServletWebRequest) request).getHttpMethod();
		ProblemType type = typeOf(status.value());
		ResponseEntity<ProblemDetail> response = (status.value() == 500) ? bug(ex, method)
				: new ProblemException(type, detailOf(type)).toResponse(method, headers);
		return new ResponseEntity<>(response.getBody(), response.getHeaders(), response.getStatusCode());
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
