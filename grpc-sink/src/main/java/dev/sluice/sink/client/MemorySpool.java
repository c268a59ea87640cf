package dev.sluice.sink.client;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/** Not durable at all: for whoever can make a message again. Bound: bytes. */
final class MemorySpool implements Spool {

	private final long maxBytes;

	private final long session = ThreadLocalRandom.current().nextLong();

	private final AtomicLong bytes = new AtomicLong();

	private final ConcurrentNavigableMap<Long, Entry> entries = new ConcurrentSkipListMap<>();

	private final ConcurrentNavigableMap<Long, Refused> refused = new ConcurrentSkipListMap<>();

	private volatile long nextNumber;

	MemorySpool(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	@Override
	public synchronized List<Entry> append(List<Message> messages) {
		long more = Entry.bytes(messages);
		if (this.bytes.get() + more > this.maxBytes) {
			throw new SpoolFullException(this.bytes.get(), this.maxBytes);
		}
		this.bytes.addAndGet(more);
		return messages.stream().map(this::put).toList();
	}

	private Entry put(Message message) {
		long number = this.nextNumber;
		this.nextNumber = number + 1;
		Entry entry = new Entry(number, this.session, (message.id() != null) ? message.id() : id(this.session, number),
				message.key(), message.payload(), System.currentTimeMillis());
		this.entries.put(number, entry);
		return entry;
	}

	/** The id of a message that came without one, {@value #OWN_ID_BYTES} bytes. */
	static ByteString id(long session, long number) {
		return ByteString.copyFrom(ByteBuffer.allocate(OWN_ID_BYTES).putLong(session).putLong(number).flip());
	}

	@Override
	public @Nullable Entry next(long after) {
		Map.Entry<Long, Entry> next = this.entries.higherEntry(after);
		return (next != null) ? next.getValue() : null;
	}

	@Override
	public boolean hasNext(long after) {
		return this.entries.higherKey(after) != null;
	}

	@Override
	public long firstUnsettled() {
		long next = this.nextNumber;
		Long first = this.entries.ceilingKey(0L);
		return (first != null) ? first : next;
	}

	@Override
	public @Nullable Entry get(long number) {
		return this.entries.get(number);
	}

	@Override
	public void settle(Collection<Long> numbers) {
		for (long number : numbers) {
			Entry entry = this.entries.remove(number);
			if (entry != null) {
				this.bytes.addAndGet(-entry.bytes());
			}
		}
	}

	@Override
	public void refuse(long number, int code, String description) {
		Entry entry = this.entries.remove(number);
		if (entry != null) {
			this.refused.put(number, new Refused(number, entry, code, description));
		}
	}

	@Override
	public List<Refused> refused() {
		return List.copyOf(this.refused.values());
	}

	@Override
	public void discard(long number) {
		Refused gone = this.refused.remove(number);
		if (gone != null) {
			this.bytes.addAndGet(-gone.entry().bytes());
		}
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
		Map.Entry<Long, Entry> first = this.entries.firstEntry();
		return (first != null) ? first.getValue().appendedAt() : null;
	}

	@Override
	public void close() {
	}

}
