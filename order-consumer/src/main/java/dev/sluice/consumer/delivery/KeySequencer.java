package dev.sluice.consumer.delivery;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

/**
 * Puts the records of one key into sequence, in the order of their tickets. Records of
 * different keys are processed at the same time. A sequencer belongs to one assignment of
 * one partition, which holds all records of a key. It keeps unfinished records only.
 */
final class KeySequencer {

	private static final CompletableFuture<Boolean> NOTHING_BEFORE = CompletableFuture.completedFuture(true);

	/** For each key, whether its last record is finished, once it has ended. */
	private final Map<ByteBuffer, CompletableFuture<Boolean>> last = new ConcurrentHashMap<>();

	/**
	 * Issues the next ticket of a key. Called by the polling thread only.
	 * @param key null if the record waits for no other
	 */
	Ticket ticket(byte @Nullable [] key) {
		CompletableFuture<Boolean> finished = new CompletableFuture<>();
		if (key == null) {
			return new Ticket(null, NOTHING_BEFORE, finished);
		}
		ByteBuffer name = ByteBuffer.wrap(key);
		CompletableFuture<Boolean> before = this.last.put(name, finished);
		return new Ticket(name, (before != null) ? before : NOTHING_BEFORE, finished);
	}

	/** The ticket of one record. */
	final class Ticket {

		private final @Nullable ByteBuffer key;

		private final CompletableFuture<Boolean> before;

		private final CompletableFuture<Boolean> finished;

		private Ticket(@Nullable ByteBuffer key, CompletableFuture<Boolean> before,
				CompletableFuture<Boolean> finished) {
			this.key = key;
			this.before = before;
			this.finished = finished;
		}

		/**
		 * Blocks until the previous ticket is released, without a timeout.
		 * @return whether the previous record is finished; if not, this record must not
		 * overtake it
		 */
		boolean await() throws InterruptedException {
			try {
				return this.before.get();
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException("A ticket is released and never fails", ex);
			}
		}

		/**
		 * Lets the next record of the key proceed. Called once, whether or not the ticket
		 * was awaited.
		 * @param finished whether the record is finished
		 */
		void release(boolean finished) {
			if (finished && this.key != null) {
				KeySequencer.this.last.remove(this.key, this.finished);
			}
			this.finished.complete(finished);
		}

	}

}
