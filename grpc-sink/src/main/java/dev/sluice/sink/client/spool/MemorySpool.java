package dev.sluice.sink.client.spool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * A spool in memory, for applications that can make a message again. Bounded by bytes.
 */
public final class MemorySpool implements Spool {

	private final long maxBytes;

	private final long session = ThreadLocalRandom.current().nextLong();

	private final AtomicLong bytes = new AtomicLong();

	/** By number. */
	private final ConcurrentMap<Long, Entry> entries = new ConcurrentHashMap<>();

	/** All entries with a lower number are or were in the map. */
	private volatile long nextNumber;

	/** The first unsettled number, or {@link #nextNumber}. Only the reader sets it. */
	private volatile long first;

	public MemorySpool(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	@Override
	public synchronized List<Entry> append(List<Message> messages) {
		long more = Entry.bytes(messages);
		if (this.bytes.get() + more > this.maxBytes) {
			throw new SpoolFullException(this.bytes.get(), this.maxBytes);
		}
		this.bytes.addAndGet(more);
		List<Entry> appended = new ArrayList<>(messages.size());
		long now = System.currentTimeMillis();
		long number = this.nextNumber;
		for (Message message : messages) {
			Entry entry = Entry.of(message, number, this.session, now);
			this.entries.put(number, entry);
			appended.add(entry);
			number++;
		}
		this.nextNumber = number;
		return appended;
	}

	@Override
	public @Nullable Entry next(long after) {
		long end = this.nextNumber;
		for (long number = Math.max(after + 1, this.first); number < end; number++) {
			Entry entry = this.entries.get(number);
			if (entry != null) {
				return entry;
			}
		}
		return null;
	}

	@Override
	public long session() {
		return this.session;
	}

	@Override
	public boolean hasNext(long after) {
		return next(after) != null;
	}

	@Override
	public long firstUnsettled() {
		return this.first;
	}

	@Override
	public @Nullable Entry get(long number) {
		return this.entries.get(number);
	}

	@Override
	public void settle(Collection<Long> numbers) {
		for (Long number : numbers) {
			Entry entry = this.entries.remove(number);
			if (entry != null) {
				this.bytes.addAndGet(-entry.bytes());
			}
		}
		// Read before the search, so that entries appended during it are not skipped.
		long end = this.nextNumber;
		long unsettled = this.first;
		while (unsettled < end && !this.entries.containsKey(unsettled)) {
			unsettled++;
		}
		this.first = unsettled;
	}

	@Override
	public long size() {
		return this.entries.size();
	}

	@Override
	public long bytes() {
		return this.bytes.get();
	}

	@Override
	public long damaged() {
		return 0;
	}

	@Override
	public @Nullable Long oldest() {
		Entry oldest = next(-1);
		return (oldest != null) ? oldest.appendedAt() : null;
	}

	@Override
	public void close() {
	}

}
