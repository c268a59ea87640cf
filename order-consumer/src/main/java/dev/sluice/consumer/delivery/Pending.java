package dev.sluice.consumer.delivery;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The records read and not finished: what bounds this process's memory. Added to by the
 * polling thread, removed from by any.
 */
final class Pending {

	private final int maxRecords;

	private final long maxBytes;

	private final AtomicInteger records = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	Pending(int maxRecords, long maxBytes) {
		this.maxRecords = maxRecords;
		this.maxBytes = maxBytes;
	}

	void add(int size) {
		this.records.incrementAndGet();
		this.bytes.addAndGet(size);
	}

	void remove(int size) {
		this.records.decrementAndGet();
		this.bytes.addAndGet(-size);
	}

	/** Whether a batch of so many records may be read without exceeding the bound. */
	boolean hasRoomFor(int batch) {
		return this.records.get() + batch <= this.maxRecords && this.bytes.get() < this.maxBytes;
	}

	int records() {
		return this.records.get();
	}

}
