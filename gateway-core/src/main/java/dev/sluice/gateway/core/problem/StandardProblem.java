package dev.sluice.gateway.core.problem;

import dev.sluice.contract.Order;
import dev.sluice.contract.ProblemType;
import org.springframework.http.MediaType;

/**
 * Problems of which only an HTTP status or a type is known, such as those that a
 * framework or a container raises. The detail never comes from an exception.
 */
public final class StandardProblem {

	private StandardProblem() {
	}

	/** A problem with the standard detail of its type. */
	public static ProblemException of(ProblemType type) {
		return new ProblemException(type, detailOf(type));
	}

	/** The problem type that an HTTP error status stands for. */
	public static ProblemType typeOf(int status) {
		return switch (status) {
			case 404 -> ProblemType.NOT_FOUND;
			case 405 -> ProblemType.METHOD_NOT_ALLOWED;
			case 406 -> ProblemType.NOT_ACCEPTABLE;
			case 408 -> ProblemType.REQUEST_TIMEOUT;
			case 413 -> ProblemType.TOO_LARGE;
			case 415 -> ProblemType.UNSUPPORTED_MEDIA_TYPE;
			// A method or a version of HTTP that the container does not know.
			case 501, 505 -> ProblemType.INVALID_REQUEST;
			case 503 -> ProblemType.OVERLOADED;
			default -> (status < 500) ? ProblemType.INVALID_REQUEST : ProblemType.INTERNAL;
		};
	}

	/** The standard detail of a type. */
	public static String detailOf(ProblemType type) {
		return switch (type) {
			case NOT_FOUND -> "There is nothing at this path.";
			case METHOD_NOT_ALLOWED -> "The header Allow lists the methods of this path.";
			case NOT_ACCEPTABLE -> "Only " + MediaType.APPLICATION_JSON_VALUE + " can be sent.";
			case REQUEST_TIMEOUT -> "The request arrived too slowly, or not completely.";
			case TOO_LARGE -> "The body may have at most " + Order.MAX_BYTES + " bytes.";
			case UNSUPPORTED_MEDIA_TYPE -> "The body must be " + MediaType.APPLICATION_JSON_VALUE + ", not compressed.";
			case INVALID_REQUEST -> "The request line, a header, a parameter or the body cannot be read.";
			case INTERNAL -> "The gateway failed; its log says why.";
			case INVALID_ORDER, IN_PROGRESS, NOT_REDELIVERABLE, KEY_REUSED, TOO_MANY_REQUESTS, BACKEND_REFUSED,
					BACKEND_UNAVAILABLE, QUEUE_UNAVAILABLE, STATUS_UNAVAILABLE, OVERLOADED, SHUTTING_DOWN,
					BACKEND_TIMEOUT ->
				type.title() + ".";
		};
	}

}
