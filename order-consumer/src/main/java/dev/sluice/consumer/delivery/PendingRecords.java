package dev.sluice.consumer.delivery;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the records that are read and not finished, and so bounds the memory of this
 * process. The polling thread adds, any thread removes.
 */
final class PendingRecords {

	private final int maxRecords;

	private final long maxBytes;

	private final AtomicInteger records = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	PendingRecords(int maxRecords, long maxBytes) {
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

	/** Whether a batch of that many records can be read within the bound. */
	boolean hasRoomFor(int batch) {
		return this.records.get() + batch <= this.maxRecords && this.bytes.get() < this.maxBytes;
	}

	int records() {
		return this.records.get();
	}

}
