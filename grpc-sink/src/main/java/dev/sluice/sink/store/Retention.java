package dev.sluice.sink.store;

import java.time.Duration;

/**
 * How long stored messages are kept.
 *
 * @param age age after which they may be deleted; 0 = never
 * @param bytes maximum size of all of them; 0 = no limit
 */
public record Retention(Duration age, long bytes) {

	/** Nothing is deleted. */
	public static final Retention FOR_EVER = new Retention(Duration.ZERO, 0);

	/**
	 * Whether a segment is to be deleted.
	 * @param ageMillis age of its newest message
	 * @param totalBytes size of it and of all newer ones
	 */
	boolean expires(long ageMillis, long totalBytes) {
		return (!this.age.isZero() && ageMillis > this.age.toMillis()) || (this.bytes > 0 && totalBytes > this.bytes);
	}

}
