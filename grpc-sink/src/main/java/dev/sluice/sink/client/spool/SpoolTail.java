package dev.sluice.sink.client.spool;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;

import dev.sluice.sink.client.spool.Spool.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Keeps entries in memory between the threads that append and the one that sends. Bounded
 * by {@value #BYTES} bytes; further entries are read from the files.
 */
final class SpoolTail {

	private static final int BYTES = 16 * 1024 * 1024;

	private final ConcurrentMap<Long, Entry> entries = new ConcurrentHashMap<>();

	private final Semaphore room = new Semaphore(BYTES);

	void add(Entry entry) {
		if (this.room.tryAcquire((int) entry.bytes())) {
			this.entries.put(entry.number(), entry);
		}
	}

	@Nullable Entry get(long number) {
		return this.entries.get(number);
	}

	/** Removes an entry. If it has to be sent again, it is read from the files. */
	@Nullable Entry take(long number) {
		Entry entry = this.entries.remove(number);
		if (entry != null) {
			this.room.release((int) entry.bytes());
		}
		return entry;
	}

}
