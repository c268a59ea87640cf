package dev.sluice.sink.store;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.zip.CRC32C;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The ids stored last: exactly the last {@code horizon} of each part of the store. Since
 * an id always goes to the same part, and a part can be read from its end, the same ids
 * are known again after a restart. Thread-safe. Bound: {@code horizon} ids of at most 64
 * bytes for each part.
 */
public final class RecentIds {

	private final int horizon;

	private final Set<Key> known = new HashSet<>();

	private final Map<Integer, Queue<Key>> parts = new HashMap<>();

	/**
	 * An id with a hash that spreads: that of a byte string gives ids which count up a
	 * few thousand values between them.
	 */
	private record Key(ByteString id, int hash) {

		static Key of(ByteString id) {
			CRC32C crc = new CRC32C();
			crc.update(id.asReadOnlyByteBuffer());
			return new Key(id, (int) crc.getValue());
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Key(ByteString otherId, int otherHash) && this.hash == otherHash
					&& this.id.equals(otherId);
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

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
		return this.known.contains(Key.of(id));
	}

	/** Remembers an id and forgets the one that is now too old. */
	synchronized void add(int part, ByteString id) {
		Key key = Key.of(id);
		if (this.horizon == 0 || !this.known.add(key)) {
			return;
		}
		Queue<Key> ids = this.parts.computeIfAbsent(part, (_) -> new ArrayDeque<>());
		ids.add(key);
		if (ids.size() > this.horizon) {
			this.known.remove(ids.remove());
		}
	}

	synchronized void clear() {
		this.known.clear();
		this.parts.clear();
	}

	synchronized int size() {
		return this.known.size();
	}

}
