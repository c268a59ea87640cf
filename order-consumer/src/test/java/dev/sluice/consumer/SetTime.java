package dev.sluice.consumer;

import java.util.concurrent.atomic.AtomicLong;

/** Time that a test sets. Waiting takes real time. */
public record SetTime(AtomicLong nanos) implements Time {

	@Override
	public long nanoTime() {
		return this.nanos.get();
	}

}
