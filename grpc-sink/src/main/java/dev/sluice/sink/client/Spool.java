package dev.sluice.sink.client;

import java.util.Collection;
import java.util.List;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Messages that the sink does not have yet, numbered in their order. Any number of
 * threads may append; one reads and settles.
 */
interface Spool extends AutoCloseable {

	/** What an entry costs beside its id and payload, in bytes. */
	int OVERHEAD_BYTES = 64;

	/** Of an id that the spool makes. */
	int OWN_ID_BYTES = 16;

	/**
	 * A message.
	 *
	 * @param number from 0; within a session the numbers count up by one
	 * @param session which opening of the spool took it: drawn at random at each opening,
	 * so that no two messages ever have the same session and number
	 * @param id names it to the sink
	 * @param key for the partition; empty = none
	 * @param appendedAt in milliseconds since the epoch
	 */
	record Entry(long number, long session, ByteString id, ByteString key, byte[] payload, long appendedAt) {

		/** Whether the spool made its id: a message with another one has no sequence. */
		boolean hasOwnId() {
			return this.id.size() == OWN_ID_BYTES && has(this.session, 0) && has(this.number, Long.BYTES);
		}

		private boolean has(long value, int from) {
			for (int i = 0; i < Long.BYTES; i++) {
				if (this.id.byteAt(from + i) != (byte) (value >>> (Long.SIZE - (i + 1) * Byte.SIZE))) {
					return false;
				}
			}
			return true;
		}

		long bytes() {
			return this.id.size() + this.key.size() + this.payload.length + OVERHEAD_BYTES;
		}

		/** What entries of these messages will come to. */
		static long bytes(Collection<Message> messages) {
			long bytes = 0;
			for (Message message : messages) {
				bytes += ((message.id() != null) ? message.id().size() : OWN_ID_BYTES) + message.key().size()
						+ message.payload().length + OVERHEAD_BYTES;
			}
			return bytes;
		}

	}

	/**
	 * A message that the sink will never take.
	 *
	 * @param number for {@link #discard}; not that of the entry
	 * @param code a gRPC status code
	 */
	record Refused(long number, Entry entry, int code, String description) {
	}

	/**
	 * Keeps messages, one behind the other; returns once they are as durable as the spool
	 * makes them, which is together. One without an id is given one, of the session and
	 * the number.
	 * @throws SpoolFullException if there is no room for all: none is kept
	 * @throws SpoolFailedException if they could not be kept
	 */
	List<Entry> append(List<Message> messages) throws InterruptedException;

	/**
	 * The first entry behind a number that is durable and not settled; null if none is.
	 */
	@Nullable Entry next(long after);

	/** Whether there is such an entry. */
	boolean hasNext(long after);

	/**
	 * The number of the first entry that is durable and not settled; that of the next one
	 * if none is.
	 */
	long firstUnsettled();

	/** An entry by its number; null if it is settled. */
	@Nullable Entry get(long number);

	/** The sink has these. What is forgotten of it in a crash is sent again. */
	void settle(Collection<Long> numbers);

	/** The sink will never take this one: it stays, and is not sent again. */
	void refuse(long number, int code, String description);

	/**
	 * What was refused and not discarded. Any thread.
	 * @throws SpoolFailedException if it cannot be read
	 */
	List<Refused> refused();

	/** Forgets a refused message, by its number among those. */
	void discard(long number);

	/** Entries not settled, refused ones not counted. */
	long size();

	/** Bytes of all entries, refused ones too. */
	long bytes();

	/** Entries that were promised, and found damaged since the spool was opened. */
	long damaged();

	/**
	 * When the oldest unsettled entry was appended, in milliseconds since the epoch. Any
	 * thread.
	 */
	@Nullable Long oldest();

	@Override
	void close();

}
