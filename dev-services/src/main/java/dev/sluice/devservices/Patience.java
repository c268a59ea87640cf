package dev.sluice.devservices;

import java.time.Duration;

/**
 * How much longer than usual this machine may take. Every deadline that only ends a hang
 * (of a start, a restart, a recovery, a drain, or of a test that waits) is multiplied by
 * the system property {@value #PROPERTY}, a number of at least 1. Default 1. A busy or
 * slow machine needs more. A deadline that a user is promised is never multiplied.
 */
public final class Patience {

	/** The name of the system property. */
	public static final String PROPERTY = "sluice.patience";

	private Patience() {
	}

	/**
	 * A deadline, multiplied by the factor that is set now.
	 * @throws IllegalStateException if the property is not a number of at least 1
	 */
	public static Duration of(Duration deadline) {
		return Duration.ofMillis(Math.round(deadline.toMillis() * factor()));
	}

	/** A deadline of this many seconds, multiplied in the same way. */
	public static Duration ofSeconds(long seconds) {
		return of(Duration.ofSeconds(seconds));
	}

	/** The JVM option that sets the same factor in a child process. */
	public static String jvmArg() {
		return "-D%s=%s".formatted(PROPERTY, factor());
	}

	private static double factor() {
		String value = System.getProperty(PROPERTY, "1");
		try {
			double factor = Double.parseDouble(value);
			if (factor >= 1 && factor <= 100) {
				return factor;
			}
		}
		catch (NumberFormatException _) {
			// Reported below.
		}
		throw new IllegalStateException("%s must be a number from 1 to 100, not '%s'".formatted(PROPERTY, value));
	}

}
