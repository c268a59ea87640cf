package dev.sluice.consumer;

import java.util.concurrent.atomic.AtomicLong;

/** Time that a test sets. Waiting takes real time. */
public class SetTime extends SystemTime {

	private final AtomicLong nanos;

	public SetTime(AtomicLong nanos) {
		this.nanos = nanos;
	}

	@Override
	public long nanoTime() {
		return this.nanos.get();
	}

}
