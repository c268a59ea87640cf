package dev.sluice.sink.store;

import java.time.Duration;

/**
 * How long stored messages are kept.
 *
 * @param age after which they may go; 0 = never
 * @param bytes of all of them at most; 0 = any number
 */
public record Retention(Duration age, long bytes) {

	/** Nothing is deleted. */
	public static final Retention FOR_EVER = new Retention(Duration.ZERO, 0);

	/**
	 * Whether a segment goes.
	 * @param ageMillis of its newest message
	 * @param totalBytes of it and of all newer ones
	 */
	boolean expires(long ageMillis, long totalBytes) {
		return (!this.age.isZero() && ageMillis > this.age.toMillis()) || (this.bytes > 0 && totalBytes > this.bytes);
	}

}
