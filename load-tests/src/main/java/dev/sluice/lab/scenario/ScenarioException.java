package dev.sluice.lab.scenario;

/** A scenario that cannot be run; the message says the file, the line and what to do. */
public final class ScenarioException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	ScenarioException(String message) {
		super(message);
	}

}
