package dev.sluice.consumer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The time of the JVM, for tests that replace a part of it. */
public class SystemTime implements Time {

	@Override
	public long nanoTime() {
		return SYSTEM.nanoTime();
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
