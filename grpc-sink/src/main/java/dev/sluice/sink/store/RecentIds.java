package dev.sluice.sink.store;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

import com.google.protobuf.ByteString;

/**
 * The ids stored last: exactly the last {@code horizon} of each part of the store. Since
 * an id always goes to the same part, and a part can be read from its end, the same ids
 * are known again after a restart. Thread-safe. Bound: {@code horizon} ids of at most 64
 * bytes for each part.
 */
public final class RecentIds {

	private final int horizon;

	private final Set<ByteString> known = new HashSet<>();

	private final Map<Integer, Queue<ByteString>> parts = new HashMap<>();

	/**
	 * Remembers nothing yet.
	 * @param horizon ids of each part; 0 = none
	 */
	public RecentIds(int horizon) {
		this.horizon = horizon;
	}

	/** How many ids of each part are remembered. */
	int horizon() {
		return this.horizon;
	}

	synchronized boolean contains(ByteString id) {
		return this.known.contains(id);
	}

	/** Remembers an id and forgets the one that is now too old. */
	synchronized void add(int part, ByteString id) {
		if (this.horizon == 0 || !this.known.add(id)) {
			return;
		}
		Queue<ByteString> ids = this.parts.computeIfAbsent(part, (_) -> new ArrayDeque<>());
		ids.add(id);
		if (ids.size() > this.horizon) {
			this.known.remove(ids.remove());
		}
	}

	synchronized int size() {
		return this.known.size();
	}

}
