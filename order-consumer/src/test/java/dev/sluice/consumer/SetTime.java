package dev.sluice.consumer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Time that a test sets. Waiting takes real time. */
public record SetTime(AtomicLong nanos) implements Time {

	@Override
	public long nanoTime() {
		return this.nanos.get();
	}

	@Override
	public void sleep(Duration duration) throws InterruptedException {
		SYSTEM.sleep(duration);
	}

	@Override
	public boolean await(CompletableFuture<?> event, Duration timeout) throws InterruptedException {
		return SYSTEM.await(event, timeout);
	}

}
