package dev.sluice.sink.client.spool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * A spool in memory, for applications that can make a message again. Bounded by bytes.
 * <p>
 * Numbers count up and messages are settled roughly in order, so they are stored in
 * chunks of {@value #CHUNK} numbers, which are found by number and removed once they are
 * empty. A chunk takes up to 2 KB, even with one message left.
 */
public final class MemorySpool implements Spool {

	private static final int CHUNK = 256;

	private final long maxBytes;

	private final long session = ThreadLocalRandom.current().nextLong();

	private final AtomicLong bytes = new AtomicLong();

	private final AtomicLong settled = new AtomicLong();

	/** By number / {@value #CHUNK}. */
	private final Map<Long, Chunk> chunks = new ConcurrentHashMap<>();

	/** All messages with a lower number are or were in a chunk. */
	private volatile long nextNumber;

	/** The first unsettled number, or {@link #nextNumber}. Only the reader sets it. */
	private volatile long first;

	/** The chunk looked up last, likely the next one too. Confined to the reader. */
	private Chunk read = new Chunk(-1);

	/** The chunk appended to last. Guarded by {@code this}. */
	private Chunk appended = new Chunk(-1);

	private static final class Chunk {

		private final long index;

		private final AtomicReferenceArray<@Nullable Entry> entries = new AtomicReferenceArray<>(CHUNK);

		/** Number of entries removed. Confined to the reader. */
		private int removed;

		Chunk(long index) {
			this.index = index;
		}

	}

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
		List<Entry> entries = new ArrayList<>(messages.size());
		long now = System.currentTimeMillis();
		long number = this.nextNumber;
		for (Message message : messages) {
			Entry entry = Entry.of(message, number, this.session, now);
			put(entry);
			entries.add(entry);
			number++;
		}
		this.nextNumber = number;
		return entries;
	}

	private void put(Entry entry) {
		long index = entry.number() / CHUNK;
		if (this.appended.index != index) {
			this.appended = new Chunk(index);
			this.chunks.put(index, this.appended);
		}
		this.appended.entries.setRelease((int) (entry.number() % CHUNK), entry);
	}

	@Override
	public @Nullable Entry next(long after) {
		long number = Math.max(after + 1, this.first);
		long end = this.nextNumber;
		Entry next = null;
		while (next == null && number < end) {
			Chunk chunk = chunk(number);
			if (chunk != null) {
				next = chunk.entries.getAcquire((int) (number % CHUNK));
				number++;
			}
			else {
				number = (number / CHUNK + 1) * CHUNK;
			}
		}
		return next;
	}

	private @Nullable Chunk chunk(long number) {
		long index = number / CHUNK;
		if (this.read.index != index) {
			Chunk found = this.chunks.get(index);
			if (found == null) {
				return null;
			}
			this.read = found;
		}
		return this.read;
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
		Chunk chunk = chunk(number);
		return (chunk != null) ? chunk.entries.getAcquire((int) (number % CHUNK)) : null;
	}

	@Override
	public void settle(Collection<Long> numbers) {
		long less = 0;
		for (long number : numbers) {
			Entry entry = take(number);
			if (entry != null) {
				less += entry.bytes();
			}
		}
		this.bytes.addAndGet(-less);
	}

	private @Nullable Entry take(long number) {
		Chunk chunk = chunk(number);
		Entry entry = (chunk != null) ? chunk.entries.getAndSet((int) (number % CHUNK), null) : null;
		if (chunk != null && entry != null) {
			this.settled.incrementAndGet();
			if (++chunk.removed == CHUNK) {
				this.chunks.remove(chunk.index);
			}
			if (number == this.first) {
				// Read before the search, so that entries appended during it are not
				// skipped.
				long end = this.nextNumber;
				Entry next = next(number);
				this.first = (next != null) ? next.number() : end;
			}
		}
		return entry;
	}

	/** Number of chunks in memory. */
	int chunks() {
		return this.chunks.size();
	}

	@Override
	public long size() {
		// In this order: otherwise a message appended and settled meanwhile would count
		// as -1.
		long settled = this.settled.get();
		return this.nextNumber - settled;
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
		for (long number = this.first; number < this.nextNumber; number++) {
			Chunk chunk = this.chunks.get(number / CHUNK);
			Entry entry = (chunk != null) ? chunk.entries.getAcquire((int) (number % CHUNK)) : null;
			if (entry != null) {
				return entry.appendedAt();
			}
		}
		return null;
	}

	@Override
	public void close() {
	}

}
