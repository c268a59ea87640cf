package dev.sluice.sink.store;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.zip.CRC32C;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The ids stored last, with the checksums of what they name: exactly the last
 * {@code horizon} of each part of the store. Since an id with a key always goes to the
 * same part, and a part can be read from its end, the same ids are known again after a
 * restart. An id belongs to a client: that of another one is another id. Thread-safe.
 * Bound: {@code horizon} ids of at most 64 bytes for each part.
 */
public final class RecentIds {

	private final int horizon;

	private final Map<Name, Integer> known = new HashMap<>();

	private final Map<Integer, Queue<Name>> parts = new HashMap<>();

	/**
	 * An id with whose it is, and a hash that spreads: that of a byte string gives ids
	 * which count up a few thousand values between them.
	 *
	 * @param client whose id it is; 0 = that of all clients without a certificate
	 */
	record Name(long client, ByteString id, int hash) {

		static Name of(long client, ByteString id) {
			CRC32C crc = new CRC32C();
			crc.update(id.asReadOnlyByteBuffer());
			return new Name(client, id, (int) crc.getValue());
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Name(long otherClient, ByteString otherId, int otherHash) && this.hash == otherHash
					&& this.client == otherClient && this.id.equals(otherId);
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

	/** The checksum of what has the name; null if that is not known. */
	synchronized @Nullable Integer checksum(Name name) {
		return this.known.get(name);
	}

	/** Remembers a name and forgets the one that is now too old. */
	synchronized void add(int part, Name name, int checksum) {
		if (this.horizon == 0 || this.known.putIfAbsent(name, checksum) != null) {
			return;
		}
		Queue<Name> names = this.parts.computeIfAbsent(part, (_) -> new ArrayDeque<>());
		names.add(name);
		if (names.size() > this.horizon) {
			this.known.remove(names.remove());
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
