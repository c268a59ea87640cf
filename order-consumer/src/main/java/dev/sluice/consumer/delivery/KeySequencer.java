package dev.sluice.consumer.delivery;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import com.google.errorprone.annotations.ThreadSafe;
import org.jspecify.annotations.Nullable;

/**
 * Puts the records of one key into sequence, in the order of their tickets. Records of
 * different keys are processed at the same time. A sequencer belongs to one assignment of
 * one partition, which holds all records of a key. It keeps the tickets of unfinished
 * records only.
 */
@ThreadSafe
final class KeySequencer {

	private final Map<ByteBuffer, Ticket> lastTickets = new ConcurrentHashMap<>();

	/** The ticket of records without a key: it waits for none, and none waits for it. */
	private final Ticket free = new Ticket(null, null);

	/**
	 * Issues the next ticket of a key. Called by the polling thread only.
	 * @param key null if the record waits for no other
	 */
	Ticket ticket(byte @Nullable [] key) {
		if (key == null) {
			return this.free;
		}
		ByteBuffer name = ByteBuffer.wrap(key);
		Ticket ticket = new Ticket(name, this.lastTickets.get(name));
		this.lastTickets.put(name, ticket);
		return ticket;
	}

	/** The ticket of one record. */
	final class Ticket {

		private final CountDownLatch released = new CountDownLatch(1);

		private final @Nullable ByteBuffer key;

		// Cleared after the wait. Otherwise each ticket would keep all earlier ones in
		// memory.
		private @Nullable Ticket before;

		private volatile boolean finished;

		private Ticket(@Nullable ByteBuffer key, @Nullable Ticket before) {
			this.key = key;
			this.before = before;
		}

		/**
		 * Blocks until the previous ticket is released, without a timeout.
		 * @return whether the previous record is finished; if not, this record must not
		 * overtake it
		 */
		boolean await() throws InterruptedException {
			Ticket previous = this.before;
			if (previous == null) {
				return true;
			}
			previous.released.await();
			this.before = null;
			return previous.finished;
		}

		/**
		 * Lets the next record of the key proceed. Called once, whether or not the ticket
		 * was awaited.
		 * @param finished whether the record is finished
		 */
		void release(boolean finished) {
			this.finished = finished;
			this.before = null;
			if (finished && this.key != null) {
				KeySequencer.this.lastTickets.remove(this.key, this);
			}
			this.released.countDown();
		}

	}

}
