package dev.sluice.backend.store;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The saved orders: id, time and fingerprint of the body, 32 bytes each, in primitive
 * arrays, so that millions of orders cost the garbage collector nothing. A hash table
 * with open addressing in shards that grow one by one, so no growth copies more than
 * 1/256 of the table. Orders are never removed.
 * <p>
 * Not thread-safe. Bounded by {@code maxOrders}; then {@link #save} returns
 * {@link #FULL}.
 */
public final class SavedOrders {

	/** Result of {@link #save}: the order is new and is saved. */
	static final long NEW = -1;

	/** Result of {@link #save}: the id is saved with another fingerprint. */
	static final long OTHER = -2;

	/** Result of {@link #save}: the order is new and there is no room for it. */
	static final long FULL = -3;

	/** Result of {@link #find}: no order has that id. */
	static final long NONE = -4;

	private static final int SHARD_BITS = 8;

	/** Number of parts of {@link #export}. */
	public static final int PARTS = 1 << SHARD_BITS;

	private static final int EXPORTED_BYTES = 3 * Long.BYTES;

	private static final int SLOT = 4;

	private static final int MSB = 0;

	private static final int LSB = 1;

	private static final int SAVED_AT = 2;

	private static final int FINGERPRINT = 3;

	/** The time of an empty slot. */
	private static final long EMPTY = 0;

	private final Shard[] shards = new Shard[1 << SHARD_BITS];

	private final int maxOrders;

	private int size;

	SavedOrders(int maxOrders) {
		this.maxOrders = maxOrders;
	}

	int size() {
		return this.size;
	}

	/**
	 * Saves an order unless its id exists.
	 * @param nowMicros the time, in microseconds since 1970, more than 0
	 * @return {@link #NEW}, {@link #OTHER}, {@link #FULL}, or for a repeat the time at
	 * which it was first saved, in microseconds since 1970
	 */
	long save(UUID id, long fingerprint, long nowMicros) {
		long hash = hash(id);
		Shard shard = shard(hash);
		int slot = shard.slot(hash, id);
		if (shard.table[slot + SAVED_AT] != EMPTY) {
			return (shard.table[slot + FINGERPRINT] == fingerprint) ? shard.table[slot + SAVED_AT] : OTHER;
		}
		if (this.size >= this.maxOrders) {
			return FULL;
		}
		shard.put(slot, id, fingerprint, nowMicros);
		this.size++;
		return NEW;
	}

	/**
	 * @return when it was saved, in microseconds since 1970, or {@link #NONE}
	 */
	long find(UUID id) {
		long hash = hash(id);
		Shard shard = shard(hash);
		long savedAt = shard.table[shard.slot(hash, id) + SAVED_AT];
		return (savedAt != EMPTY) ? savedAt : NONE;
	}

	/**
	 * A part of the orders: each is in exactly one of {@link #PARTS}.
	 * @param part the part, from 0
	 * @return for each order 24 bytes: its id, and the time of its save in microseconds
	 * since 1970, as big-endian longs; unsorted
	 */
	byte[] export(int part) {
		Shard shard = this.shards[part];
		if (shard == null) {
			return new byte[0];
		}
		ByteBuffer out = ByteBuffer.allocate(shard.used * EXPORTED_BYTES);
		for (int at = 0; at < shard.table.length; at += SLOT) {
			if (shard.table[at + SAVED_AT] != EMPTY) {
				out.putLong(shard.table[at + MSB]).putLong(shard.table[at + LSB]).putLong(shard.table[at + SAVED_AT]);
			}
		}
		return out.array();
	}

	private Shard shard(long hash) {
		int index = (int) (hash >>> (Long.SIZE - SHARD_BITS));
		Shard shard = this.shards[index];
		if (shard == null) {
			shard = new Shard();
			this.shards[index] = shard;
		}
		return shard;
	}

	/** Stafford's variant 13 of the finaliser of MurmurHash3, as in SplittableRandom. */
	private static long hash(UUID id) {
		long z = id.getMostSignificantBits() * 0x9e3779b97f4a7c15L ^ id.getLeastSignificantBits();
		z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
		z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
		return z ^ (z >>> 31);
	}

	private static final class Shard {

		private long[] table = new long[8 * SLOT];

		private int used;

		/** The slot of the id, or the empty slot in which it belongs. */
		int slot(long hash, UUID id) {
			int slots = this.table.length / SLOT;
			int slot = (int) ((hash & 0xffff_ffffL) * slots >>> Integer.SIZE);
			while (true) {
				int at = slot * SLOT;
				if (this.table[at + SAVED_AT] == EMPTY || (this.table[at + MSB] == id.getMostSignificantBits()
						&& this.table[at + LSB] == id.getLeastSignificantBits())) {
					return at;
				}
				slot = (slot + 1 < slots) ? slot + 1 : 0;
			}
		}

		void put(int slot, UUID id, long fingerprint, long savedAtMicros) {
			this.table[slot + MSB] = id.getMostSignificantBits();
			this.table[slot + LSB] = id.getLeastSignificantBits();
			this.table[slot + SAVED_AT] = savedAtMicros;
			this.table[slot + FINGERPRINT] = fingerprint;
			this.used++;
			int slots = this.table.length / SLOT;
			if (this.used > slots - slots / 4) {
				grow(slots + slots / 2);
			}
		}

		private void grow(int slots) {
			long[] old = this.table;
			this.table = new long[slots * SLOT];
			for (int at = 0; at < old.length; at += SLOT) {
				if (old[at + SAVED_AT] != EMPTY) {
					UUID id = new UUID(old[at + MSB], old[at + LSB]);
					System.arraycopy(old, at, this.table, slot(hash(id), id), SLOT);
				}
			}
		}

	}

}
