package dev.sluice.lab.kit.stack;

/** Ends a command with exit code 1. The message's first line says what to do. */
public class LabException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public LabException(String message) {
		super(message);
	}

	public LabException(String message, Throwable cause) {
		super(message, cause);
	}

}
