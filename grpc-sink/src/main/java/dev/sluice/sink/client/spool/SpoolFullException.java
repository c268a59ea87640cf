package dev.sluice.sink.client.spool;

/** The message was not appended: the spool has its maximum size, or its disk is full. */
public final class SpoolFullException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SpoolFullException(long bytes, long maxBytes) {
		super("The spool has %s of at most %s bytes: send again when the sink has stored some, or raise spoolBytes"
			.formatted(bytes, maxBytes));
	}

	SpoolFullException(String message) {
		super(message);
	}

	SpoolFullException(String message, Throwable cause) {
		super(message, cause);
	}

}
