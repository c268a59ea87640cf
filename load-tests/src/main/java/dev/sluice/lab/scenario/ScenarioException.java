package dev.sluice.lab.scenario;

/**
 * A scenario or target that cannot be used. The message names the file, the line and the
 * remedy.
 */
public final class ScenarioException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	ScenarioException(String message) {
		super(message);
	}

}
