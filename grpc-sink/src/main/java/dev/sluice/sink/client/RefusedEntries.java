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
 * Permanently refused entries, in their own queue, so that they hold up no segment of the
 * messages. An entry is settled in the message queue once it is in this one. If it cannot
 * be written here, it waits in the message queue, and after the next opening it is sent
 * and refused again.
 * <p>
 * The spool's writer moves and reads; any thread may refuse, discard and query sizes.
 */
@ThreadSafe
final class RefusedEntries {

	private final SegmentQueue queue;

	/** Refused entries not moved yet, by number; at most as many as are unsettled. */
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

	/** Number of entries that are refused and not moved yet. */
	int waiting() {
		return this.waiting.size();
	}

	/** Moves refused entries to this queue. */
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
