package dev.sluice.sink.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.sink.client.Spool.Entry;
import dev.sluice.sink.client.Spool.Refused;
import dev.sluice.sink.segment.QueueReader;
import dev.sluice.sink.segment.SegmentQueue;
import org.jspecify.annotations.Nullable;

/**
 * Entries that the sink will never take, in a queue of their own: so they hold up no
 * segment of the others. An entry is settled among the others once it is here; if it
 * cannot be written, it waits for that in the other queue, and is sent and refused again
 * after the next opening.
 * <p>
 * The spool's writer moves and reads; any thread refuses, discards and asks for sizes.
 */
@ThreadSafe
final class RefusedEntries {

	private final SegmentQueue queue;

	/** Those that are not moved yet, by their numbers: unsettled ones at most. */
	private final ConcurrentMap<Long, Reason> waiting = new ConcurrentHashMap<>();

	private record Reason(int code, String description) {
	}

	/** Finds an entry. */
	@FunctionalInterface
	interface Entries {

		@Nullable Entry get(long number) throws IOException;

	}

	RefusedEntries(SegmentQueue queue) {
		this.queue = queue;
	}

	SegmentQueue queue() {
		return this.queue;
	}

	void refuse(long number, int code, String description) {
		this.waiting.put(number, new Reason(code, description));
	}

	/** Whether an entry is refused and not moved yet. */
	boolean waits(long number) {
		return this.waiting.containsKey(number);
	}

	/** How many entries wait so. */
	int waiting() {
		return this.waiting.size();
	}

	/** Moves those that are refused here. */
	void move(SegmentQueue from, Entries entries, SpoolWrites writes) throws IOException {
		for (Map.Entry<Long, Reason> each : this.waiting.entrySet()) {
			Entry entry = entries.get(each.getKey());
			if (entry != null) {
				Reason reason = each.getValue();
				byte[][] body = EntryFormat.encode(entry, reason.code(), reason.description());
				if (!writes.due() || writes.write(this.queue, () -> this.queue.append(body)) != null) {
					return;
				}
				from.settle(entry.number());
			}
			this.waiting.remove(each.getKey());
		}
	}

	List<Refused> read() throws IOException {
		List<Refused> all = new ArrayList<>();
		try (QueueReader reader = this.queue.reader()) {
			long number = this.queue.firstUnsettled(0);
			while (number >= 0) {
				byte[] body = reader.read(number);
				if (body != null) {
					all.add(EntryFormat.decodeRefused(number, body));
				}
				number = this.queue.firstUnsettled(number + 1);
			}
		}
		return all;
	}

	void discard(long number) {
		this.queue.settle(number);
	}

}
