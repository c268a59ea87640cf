package dev.sluice.devservices;

/**
 * A server or service did not start. The first line of the message says which one, why
 * and what to do. The last lines of its log may follow.
 */
public final class StartFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	StartFailedException(String message) {
		super(message);
	}

	StartFailedException(String message, Throwable cause) {
		super(message, cause);
	}

}
