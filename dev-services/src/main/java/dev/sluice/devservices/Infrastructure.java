package dev.sluice.devservices;

import java.util.Locale;

/** What Kafka and PostgreSQL run as. */
public enum Infrastructure {

	/** Containers if an engine answers within 3 s and has the images, else embedded. */
	AUTO,

	/** Containers; without an engine the start fails. */
	CONTAINERS,

	/** The real servers, as child processes. */
	EMBEDDED;

	/** The environment variable that chooses for tests. */
	public static final String VARIABLE = "TEST_INFRA";

	/**
	 * What {@value #VARIABLE} says; {@link #AUTO} if it says nothing.
	 * @throws IllegalArgumentException if it says something unknown
	 */
	public static Infrastructure fromEnvironment() {
		String value = System.getenv(VARIABLE);
		return (value == null || value.isBlank()) ? AUTO : of(value);
	}

	/**
	 * The constant of that name, in any case.
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
