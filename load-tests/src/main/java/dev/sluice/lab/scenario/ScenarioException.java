package dev.sluice.lab.scenario;

/** A scenario that cannot be run. The message names the file, the line and the remedy. */
public final class ScenarioException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	ScenarioException(String message) {
		super(message);
	}

}
