package dev.sluice.gateway.core.http;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.contract.Order;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.problem.StandardProblem;
import org.springframework.stereotype.Component;

/**
 * Memory for the bodies of requests while they arrive. A body must arrive within
 * {@code sluice.body-timeout} and has at most {@link Order#MAX_BYTES}. All unfinished
 * bodies together take at most {@code sluice.max-body-memory}; a body beyond it is
 * refused with 503.
 */
@Component
public final class BodyMemory {

	/** Initial capacity of a buffer, in bytes. */
	private static final int FIRST_CAPACITY = 2 * 1024;

	private final AtomicLong held = new AtomicLong();

	private final Duration timeout;

	private final long maxHeld;

	public BodyMemory(ConnectionProperties properties) {
		this.timeout = properties.bodyTimeout();
		this.maxHeld = properties.maxBodyMemory().toBytes();
	}

	/**
	 * Begins to receive a body; {@link Body#release} must be called at its end.
	 * @param length its announced length in bytes, negative if none is announced
	 * @throws ProblemException if the announced length is too large
	 */
	public Body begin(long length) {
		if (length > Order.MAX_BYTES) {
			throw StandardProblem.of(ProblemType.TOO_LARGE);
		}
		return new Body((int) length);
	}

	/** Time in which a body must arrive. */
	public Duration timeout() {
		return this.timeout;
	}

	/** Bytes of memory that unfinished bodies hold. */
	long held() {
		return this.held.get();
	}

	/**
	 * One body. Used by one thread at a time; another one may release it.
	 */
	public final class Body {

		/** The announced length; without one, the maximum length and one byte. */
		private final int maxCapacity;

		private byte[] buffer = new byte[0];

		private int count;

		/** Bytes that count as held. */
		@GuardedBy("this")
		private int holds;

		@GuardedBy("this")
		private boolean released;

		private Body(int length) {
			this.maxCapacity = (length > 0) ? length : Order.MAX_BYTES + 1;
		}

		/** Number of bytes received. */
		public int count() {
			return this.count;
		}

		/**
		 * Makes room for more bytes.
		 * @param bytes minimum number of bytes to make room for
		 * @throws ProblemException if there is no memory for them
		 */
		public void reserve(int bytes) {
			int needed = this.count + bytes;
			if (needed <= this.buffer.length) {
				return;
			}
			int doubled = Math.min(this.maxCapacity, Math.max(FIRST_CAPACITY, 2 * this.buffer.length));
			int capacity = Math.max(needed, doubled);
			hold(capacity - this.buffer.length);
			this.buffer = Arrays.copyOf(this.buffer, capacity);
		}

		/** A body that was released meanwhile holds nothing: its reader notices soon. */
		private synchronized void hold(int more) {
			if (this.released) {
				return;
			}
			if (BodyMemory.this.held.addAndGet(more) > BodyMemory.this.maxHeld) {
				BodyMemory.this.held.addAndGet(-more);
				throw new ProblemException(ProblemType.OVERLOADED, "Too many requests are being received.", Placed.NO);
			}
			this.holds += more;
		}

		/**
		 * Reads bytes into the room that was made.
		 * @param <X> what the source may throw
		 * @param source where the bytes come from
		 * @return what the source returned: the number of bytes, negative at the end
		 * @throws ProblemException if the body is too large
		 */
		public <X extends Exception> int fill(Source<X> source) throws X {
			int read = source.read(this.buffer, this.count, this.buffer.length - this.count);
			if (read > 0) {
				this.count += read;
				if (this.count > Order.MAX_BYTES) {
					throw StandardProblem.of(ProblemType.TOO_LARGE);
				}
			}
			return read;
		}

		/** The bytes received. */
		public byte[] bytes() {
			return (this.count == this.buffer.length) ? this.buffer : Arrays.copyOf(this.buffer, this.count);
		}

		/**
		 * Releases the memory. Any thread may call it, even while another one reads; a
		 * second call does nothing.
		 */
		public synchronized void release() {
			this.released = true;
			BodyMemory.this.held.addAndGet(-this.holds);
			this.holds = 0;
		}

	}

	/**
	 * The source of a body's bytes.
	 *
	 * @param <X> what it may throw
	 */
	@FunctionalInterface
	public interface Source<X extends Exception> {

		/**
		 * Reads bytes.
		 * @param target the array to read into
		 * @param offset the index of the first byte
		 * @param length maximum number of bytes
		 * @return the number of bytes read, negative at the end
		 */
		int read(byte[] target, int offset, int length) throws X;

	}

}
