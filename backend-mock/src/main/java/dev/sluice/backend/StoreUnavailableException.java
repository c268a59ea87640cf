package dev.sluice.backend;

/** The store does not answer, or not in time. The message says why. */
public final class StoreUnavailableException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	StoreUnavailableException(String message, Throwable cause) {
		super(message, cause);
	}

}
