package dev.sluice.sink.client.spool;

/** The spool cannot be opened or read, or a message may not be durable. */
public final class SpoolFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SpoolFailedException(String message, Throwable cause) {
		super(message, cause);
	}

	SpoolFailedException(String message) {
		super(message);
	}

}
