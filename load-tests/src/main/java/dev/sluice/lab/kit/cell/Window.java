package dev.sluice.lab.kit.cell;

import java.time.Duration;
import java.time.Instant;

/**
 * The time that a measurement belongs to.
 *
 * @param start inclusive
 * @param end exclusive for what happens in it; not before the start
 */
public record Window(Instant start, Instant end) {

	public boolean contains(Instant time) {
		return !time.isBefore(this.start) && time.isBefore(this.end);
	}

	public Duration length() {
		return Duration.between(this.start, this.end);
	}

	public double seconds() {
		return length().toNanos() / 1e9;
	}

}
