package dev.sluice.backend.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times in microseconds since 1970, the resolution of PostgreSQL. */
public final class Micros {

	private Micros() {
	}

	public static long of(Instant instant) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
	}

	public static Instant toInstant(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

}
