package dev.sluice.sink.sequence;

/**
 * Nobody can tell whether the session's message is stored: it is to come in a new one.
 */
public final class SessionForgottenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public SessionForgottenException(String message) {
		super(message);
	}

}
