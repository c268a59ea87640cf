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

	/**
	 * A message.
	 *
	 * @param number from 0, greater than that of every earlier one
	 * @param appendedAt in milliseconds since the epoch
	 */
	record Entry(long number, ByteString id, byte[] payload, long appendedAt) {

		long bytes() {
			return this.id.size() + this.payload.length + OVERHEAD_BYTES;
		}

	}

	/**
	 * A message that the sink will never take.
	 *
	 * @param code a gRPC status code
	 */
	record Refused(Entry entry, int code, String description) {
	}

	/**
	 * Keeps a message; returns once it is as durable as the spool makes it.
	 * @param id of the message; null = made of the spool's own id and the number
	 * @throws SpoolFullException if there is no room
	 * @throws SpoolFailedException if it could not be kept
	 */
	Entry append(@Nullable ByteString id, byte[] payload) throws InterruptedException;

	/**
	 * The first entry behind a number that is durable and not settled; null if none is.
	 */
	@Nullable Entry next(long after);

	/** Whether there is such an entry. */
	boolean hasNext(long after);

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

	/** Forgets a refused message. */
	void discard(long number);

	/** Entries not settled, refused ones not counted. */
	long size();

	/** Bytes of all entries, refused ones too. */
	long bytes();

	/**
	 * When the oldest unsettled entry was appended, in milliseconds since the epoch. Any
	 * thread.
	 */
	@Nullable Long oldest();

	@Override
	void close();

}
