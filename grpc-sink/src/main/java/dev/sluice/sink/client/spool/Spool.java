package dev.sluice.sink.client.spool;

import java.util.Collection;
import java.util.List;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Messages that the sink does not have yet, numbered in order. Any number of threads may
 * append; one thread reads and settles.
 */
public interface Spool extends AutoCloseable {

	/** What an entry counts for without its id, key and payload, in bytes. */
	int OVERHEAD_BYTES = 64;

	/** Length of an id that the spool makes. */
	int OWN_ID_BYTES = 16;

	/**
	 * A message.
	 *
	 * @param number from 0; within a session the numbers count up by one
	 * @param session random number of the opening of the spool that appended it, so that
	 * no two messages ever have the same session and number
	 * @param id id that the sink gets
	 * @param key routing key; empty = none
	 * @param appendedAt when it was appended, in milliseconds since the epoch
	 */
	record Entry(long number, long session, ByteString id, ByteString key, byte[] payload, long appendedAt) {

		/** Whether the spool made its id. A message with another id has no sequence. */
		public boolean hasOwnId() {
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

		/** The total size of entries for these messages. */
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
	 * Appends messages in order, all or none. Returns once they are as durable as the
	 * spool makes them. A message without an id gets one, made of the session and the
	 * number.
	 * @throws SpoolFullException if there is no room for all: none is appended
	 * @throws SpoolFailedException if they may not be durable
	 */
	List<Entry> append(List<Message> messages) throws InterruptedException;

	/** The first durable and unsettled entry after a number; null if there is none. */
	@Nullable Entry next(long after);

	/** Whether there is such an entry. */
	boolean hasNext(long after);

	/**
	 * The number of the first durable and unsettled entry; if there is none, the next
	 * entry's number.
	 */
	long firstUnsettled();

	/** Returns the entry with a number; null if it is settled. */
	@Nullable Entry get(long number);

	/**
	 * Settles entries that are stored or refused. Those that a crash makes the spool
	 * forget are sent again.
	 */
	void settle(Collection<Long> numbers);

	/** Number of unsettled entries. */
	long size();

	/** Bytes of the unsettled entries. */
	long bytes();

	/** Durable entries that were found damaged since the spool was opened. */
	long damaged();

	/**
	 * When the oldest unsettled entry was appended, in milliseconds since the epoch; null
	 * if there is none. Any thread may call it.
	 */
	@Nullable Long oldest();

	@Override
	void close();

}
