package dev.sluice.sink.client.spool;

import java.nio.ByteBuffer;
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

		private static final int HAS_KEY = 0x80;

		/** Whether the spool made its id. A message with another id has no sequence. */
		public boolean hasOwnId() {
			return this.id.size() == OWN_ID_BYTES && this.id.equals(ownId(this.session, this.number));
		}

		long bytes() {
			return this.id.size() + this.key.size() + this.payload.length + OVERHEAD_BYTES;
		}

		/** The id of a message without one, {@value #OWN_ID_BYTES} bytes. */
		static ByteString ownId(long session, long number) {
			return ByteString.copyFrom(ByteBuffer.allocate(OWN_ID_BYTES).putLong(session).putLong(number).flip());
		}

		/** The entry that a spool makes of a message. */
		static Entry of(Message message, long number, long session, long appendedAt) {
			return new Entry(number, session, (message.id() != null) ? message.id() : ownId(session, number),
					message.key(), message.payload(), appendedAt);
		}

		/**
		 * The parts of its form in a file: the time when it was appended (8 bytes), the
		 * length of its id (1), the id and the payload; the length is 0 for an id that
		 * the spool made. If 128 is added to the length, the length of a key (1) and the
		 * key come before the payload.
		 */
		byte[][] encode() {
			int idBytes = hasOwnId() ? 0 : this.id.size();
			int keyBytes = this.key.isEmpty() ? 0 : 1 + this.key.size();
			ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1 + idBytes + keyBytes)
				.putLong(this.appendedAt)
				.put((byte) (idBytes | ((keyBytes > 0) ? HAS_KEY : 0)));
			if (idBytes > 0) {
				head.put(this.id.asReadOnlyByteBuffer());
			}
			if (keyBytes > 0) {
				head.put((byte) this.key.size()).put(this.key.asReadOnlyByteBuffer());
			}
			return new byte[][] { head.array(), this.payload };
		}

		static Entry decode(long number, long session, byte[] encoded) {
			ByteBuffer bytes = ByteBuffer.wrap(encoded);
			long appendedAt = bytes.getLong();
			int length = bytes.get() & 0xFF;
			ByteString id = ByteString.copyFrom(bytes, length & ~HAS_KEY);
			ByteString key = ((length & HAS_KEY) != 0) ? ByteString.copyFrom(bytes, bytes.get() & 0xFF)
					: ByteString.EMPTY;
			byte[] payload = new byte[bytes.remaining()];
			bytes.get(payload);
			return new Entry(number, session, id.isEmpty() ? ownId(session, number) : id, key, payload, appendedAt);
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

	/** The session of the entries that are appended from now on. */
	long session();

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
