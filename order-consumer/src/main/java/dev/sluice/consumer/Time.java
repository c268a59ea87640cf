package dev.sluice.consumer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads elapsed time and waits. A simulation replaces it with simulated time.
 *
 * @see org.apache.kafka.common.utils.Time
 */
public interface Time {

	/** The time of the JVM. */
	Time SYSTEM = new Time() {

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public void sleep(Duration duration) throws InterruptedException {
			Thread.sleep(duration);
		}

		@Override
		public boolean await(CompletableFuture<?> event, Duration timeout) throws InterruptedException {
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
	};

	/** Returns elapsed time, as {@link System#nanoTime} does. */
	long nanoTime();

	/** Blocks the calling thread for a duration. */
	void sleep(Duration duration) throws InterruptedException;

	/**
	 * Blocks the calling thread until an event occurs, or a timeout has passed.
	 * @param event completes normally when the event occurs
	 * @return whether the event has occurred
	 */
	boolean await(CompletableFuture<?> event, Duration timeout) throws InterruptedException;

}
