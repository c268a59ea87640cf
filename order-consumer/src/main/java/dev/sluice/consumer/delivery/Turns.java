package dev.sluice.consumer.delivery;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;

/**
 * Lets the records of one key be worked on one after another, in the order in which they
 * took their turns, and those of different keys at once. Belongs to one partition, for as
 * long as it is assigned: all records of a key are in it. Holds the turns that have not
 * finished. Turns are taken by the polling thread, awaited and ended by any.
 */
final class Turns {

	private final Map<ByteBuffer, Turn> last = new ConcurrentHashMap<>();

	/** Of all that wait for nobody, and that nobody waits for. */
	private final Turn free = new Turn(null, null);

	/**
	 * The next turn of a key.
	 * @param key null if it waits for nobody
	 */
	Turn take(byte @Nullable [] key) {
		if (key == null) {
			return this.free;
		}
		ByteBuffer name = ByteBuffer.wrap(key);
		Turn turn = new Turn(name, this.last.get(name));
		this.last.put(name, turn);
		return turn;
	}

	/** One record's. */
	final class Turn {

		private final CountDownLatch end = new CountDownLatch(1);

		private final @Nullable ByteBuffer key;

		// Until it is over, or each turn would hold all before it.
		private @Nullable Turn before;

		private volatile boolean finished;

		private Turn(@Nullable ByteBuffer key, @Nullable Turn before) {
			this.key = key;
			this.before = before;
		}

		/**
		 * Waits for the one before to end, as long as it takes.
		 * @return whether that one's record is done with; if not, this one's must not
		 * overtake it
		 */
		boolean await() throws InterruptedException {
			Turn turn = this.before;
			if (turn == null) {
				return true;
			}
			turn.end.await();
			this.before = null;
			return turn.finished;
		}

		/**
		 * To be called once, whether or not it was awaited.
		 * @param finished whether the record is done with
		 */
		void end(boolean finished) {
			this.finished = finished;
			this.before = null;
			if (finished && this.key != null) {
				Turns.this.last.remove(this.key, this);
			}
			this.end.countDown();
		}

	}

}
