package dev.sluice.devservices;

import java.util.Locale;

/** How Kafka and PostgreSQL run. */
public enum Infrastructure {

	/** Containers if an engine answers within 3 s and has the images, else embedded. */
	AUTO,

	/** Containers; without an engine or its images the start fails. */
	CONTAINERS,

	/** The real servers, as child processes. */
	EMBEDDED;

	/** The environment variable that selects the infrastructure of tests. */
	public static final String VARIABLE = "TEST_INFRA";

	/**
	 * The value of {@value #VARIABLE}; {@link #AUTO} if it is not set.
	 * @throws IllegalArgumentException if the value is unknown
	 */
	public static Infrastructure fromEnvironment() {
		String value = System.getenv(VARIABLE);
		return (value == null || value.isBlank()) ? AUTO : of(value);
	}

	/**
	 * The constant with this name, ignoring case.
	 * @throws IllegalArgumentException if there is none
	 */
	public static Infrastructure of(String value) {
		for (Infrastructure infrastructure : values()) {
			if (infrastructure.name().equalsIgnoreCase(value.strip())) {
				return infrastructure;
			}
		}
		throw new IllegalArgumentException(
				"infrastructure '%s' is unknown: use auto, containers or embedded (%s in the environment)"
					.formatted(value, VARIABLE));
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
