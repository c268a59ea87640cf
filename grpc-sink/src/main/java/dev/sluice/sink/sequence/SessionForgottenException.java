package dev.sluice.sink.sequence;

/**
 * The sink cannot tell whether the message is already stored, because it may have
 * forgotten the session, or because a copy of the client uses it too. The client must
 * send it in a new session.
 */
public final class SessionForgottenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public SessionForgottenException(String message) {
		super(message);
	}

}
