package dev.sluice.sink.store;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.zip.CRC32C;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The ids stored last, with the checksums of their messages: exactly the last
 * {@code horizon} of each part of the store. An id with a key always goes to the same
 * part, and the end of a part can be read, so the same ids are known after a restart. An
 * id belongs to a client: the same bytes of another client are another id. Thread-safe.
 * Bounded by {@code horizon} ids of at most 64 bytes for each part.
 */
public final class RecentIds {

	private final int horizon;

	private final Map<Name, Integer> known = new HashMap<>();

	private final Map<Integer, Queue<Name>> parts = new HashMap<>();

	/**
	 * An id with its owner and a hash that spreads well. The hash of a byte string has
	 * only a few thousand values for ids that count up.
	 *
	 * @param client owner of the id; 0 = all clients without a certificate
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
	 * Creates an empty set.
	 * @param horizon number of ids to remember of each part; 0 = none
	 */
	public RecentIds(int horizon) {
		this.horizon = horizon;
	}

	/** Number of ids remembered of each part. */
	int horizon() {
		return this.horizon;
	}

	/** The checksum of the message with a name; null if the name is not known. */
	synchronized @Nullable Integer checksum(Name name) {
		return this.known.get(name);
	}

	/** Adds a name, and forgets the oldest one of the part if there are too many. */
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
