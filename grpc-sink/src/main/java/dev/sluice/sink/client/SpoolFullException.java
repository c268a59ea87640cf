package dev.sluice.sink.client;

/** The message was not taken: the spool is as large as it may be, or its disk is full. */
public final class SpoolFullException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SpoolFullException(long bytes, long maxBytes) {
		super("The spool holds %,d of at most %,d bytes: send again when the sink has taken some, or make it larger"
			.formatted(bytes, maxBytes));
	}

	SpoolFullException(String message) {
		super(message);
	}

	SpoolFullException(String message, Throwable cause) {
		super(message, cause);
	}

}
