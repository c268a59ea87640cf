package dev.sluice.consumer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads elapsed time and waits, by default as the JVM does. A simulation replaces it with
 * simulated time.
 *
 * @see org.apache.kafka.common.utils.Time
 */
public interface Time {

	/** The time of the JVM. */
	Time SYSTEM = new Time() {
	};

	/** Returns elapsed time, as {@link System#nanoTime} does. */
	default long nanoTime() {
		return System.nanoTime();
	}

	/** Blocks the calling thread for a duration. */
	default void sleep(Duration duration) throws InterruptedException {
		Thread.sleep(duration);
	}

	/**
	 * Blocks the calling thread until an event occurs, or a timeout has passed.
	 * @param event completes normally when the event occurs
	 * @return whether the event has occurred
	 */
	default boolean await(CompletableFuture<?> event, Duration timeout) throws InterruptedException {
		try {
			event.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("The event failed", ex);
		}
	}

}
