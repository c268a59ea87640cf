package dev.sluice.backend;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times in microseconds since 1970, the resolution of PostgreSQL. */
final class Micros {

	private Micros() {
	}

	static long of(Instant instant) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
	}

	static Instant toInstant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

}
