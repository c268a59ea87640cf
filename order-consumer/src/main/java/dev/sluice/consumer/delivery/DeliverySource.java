package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.Time;
import dev.sluice.contract.Topics;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Reads {@code orders}, starts deliveries and reports finished records to Kafka. Each
 * {@link Reader} has a thread, the only one that uses its consumer. After a Kafka error a
 * reader starts again with another consumer, and the source is prepared again, once for
 * all readers. After a bug all readers end, and liveness fails.
 */
abstract class DeliverySource implements SmartLifecycle {

	/** Timeout of a synchronous commit. */
	static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(5);

	static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	/** How long to wait for interrupted deliveries to end. */
	static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(1);

	/** The longest time until a reader notices that it must stop. */
	static final Duration MAX_POLL = Duration.ofMillis(500);

	private static final Logger logger = LoggerFactory.getLogger(DeliverySource.class);

	/** The pause before a restart after an error. */
	private static final Duration RESTART = Duration.ofSeconds(1);

	final DeliveryProperties properties;

	final Time time;

	private final ThreadFactory threads;

	private final int consumers;

	private final ReentrantLock preparing = new ReentrantLock();

	private final AtomicBoolean prepared = new AtomicBoolean();

	private volatile List<Reader> readers = List.of();

	private volatile boolean running;

	private volatile boolean broken;

	/**
	 * @param threads creates the thread of each reader
	 */
	DeliverySource(DeliveryProperties properties, Time time, ThreadFactory threads, int consumers) {
		this.properties = properties;
		this.time = time;
		this.threads = threads;
		this.consumers = consumers;
	}

	/** Waits until orders can be read, on the thread of one of the readers. */
	abstract void prepare() throws InterruptedException;

	abstract Reader reader();

	/**
	 * How long a reader waits after a failure that concerns this reader alone and that
	 * the source has logged itself. Called on the reader's thread.
	 * @return null if the failure concerns Kafka; this class logs it
	 */
	@Nullable Duration pauseAfter(Reader reader, KafkaException failure) {
		return null;
	}

	/** Further details for the health endpoint. */
	abstract Map<String, Object> details();

	@Override
	public final void start() {
		this.running = true;
		this.readers = IntStream.range(0, this.consumers).mapToObj((_) -> reader()).toList();
		this.readers.forEach((reader) -> reader.thread.start());
	}

	/**
	 * Stops reading, waits for deliveries to end and reports finished records to Kafka.
	 * Other instances get the rest when the consumers close.
	 */
	@Override
	public final void stop() {
		this.running = false;
		long deadline = this.time.nanoTime() + MAX_POLL.plus(this.properties.drainTimeout())
			.plus(ABANDON_TIMEOUT)
			.plus(COMMIT_TIMEOUT)
			.plus(CLOSE_TIMEOUT)
			.toNanos();
		this.readers.forEach(Reader::wakeUp);
		try {
			for (Reader reader : this.readers) {
				if (!reader.thread.join(Duration.ofNanos(Math.max(deadline - this.time.nanoTime(), 1)))) {
					logger.warn("A consumer of {} did not stop in time", Topics.ORDERS);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public final boolean isRunning() {
		return this.running;
	}

	/** Whether readers should continue. */
	final boolean isWanted() {
		return this.running && !this.broken;
	}

	/** Whether its threads run. They also run while Kafka is down. */
	final boolean isAlive() {
		return !this.readers.isEmpty() && this.readers.stream().allMatch((reader) -> reader.thread.isAlive());
	}

	/** Whether any reader has a consumer. */
	final boolean isConnected() {
		return connected() > 0;
	}

	/** Number of consumers. */
	final long connected() {
		return this.readers.stream().filter((reader) -> reader.connected).count();
	}

	/** The longest time for which a reader with a consumer has made no progress. */
	final Duration sinceLastPoll() {
		long now = this.time.nanoTime();
		return Duration.ofNanos(this.readers.stream()
			.filter((reader) -> reader.connected)
			.mapToLong((reader) -> now - reader.seenNanos)
			.max()
			.orElse(0));
	}

	/**
	 * @return whether to read now
	 */
	private boolean prepareOnce() throws InterruptedException {
		this.preparing.lockInterruptibly();
		try {
			while (isWanted() && !this.prepared.get()) {
				try {
					prepare();
					this.prepared.set(true);
				}
				catch (KafkaException ex) {
					// The other readers wait meanwhile, because they would fail in the
					// same way.
					failed(ex, true);
				}
				catch (RuntimeException | Error ex) {
					// Before the next reader's turn, because it would fail in the same
					// way.
					this.broken = true;
					throw ex;
				}
			}
			return isWanted();
		}
		finally {
			this.preparing.unlock();
		}
	}

	private void failed(KafkaException ex, boolean first) throws InterruptedException {
		if (ex instanceof InterruptException) {
			throw ex;
		}
		if (first) {
			logger.error("Consuming {} failed. Restarting in {} s", Topics.ORDERS, RESTART.toSeconds(), ex);
		}
		else {
			logger.debug("Another consumer failed too", ex);
		}
		this.time.sleep(RESTART);
	}

	/** A thread and its consumer. */
	abstract class Reader implements Runnable {

		private final Thread thread = DeliverySource.this.threads.newThread(this);

		private volatile boolean connected;

		private volatile long seenNanos;

		/**
		 * Reads with a new consumer until the source must stop or be prepared again, then
		 * closes the consumer.
		 */
		abstract void read() throws InterruptedException;

		/** Ends the poll. Called by any thread. */
		abstract void endPoll();

		/** Called when the reader can notice by itself that it must stop. */
		final void connected() {
			seen();
			this.connected = true;
		}

		/** Records that the thread is not stuck. */
		final void seen() {
			this.seenNanos = DeliverySource.this.time.nanoTime();
		}

		private void wakeUp() {
			if (this.connected) {
				endPoll();
			}
			else {
				this.thread.interrupt();
			}
		}

		@Override
		public final void run() {
			try {
				while (prepareOnce()) {
					readOnce();
				}
			}
			catch (InterruptedException | InterruptException ex) {
				logger.debug("Stopped before Kafka was ready");
			}
			catch (RuntimeException | Error ex) {
				DeliverySource.this.broken = true;
				logger.error("Consuming {} has ended. Health stays down until a restart", Topics.ORDERS, ex);
			}
		}

		private void readOnce() throws InterruptedException {
			KafkaException failure = null;
			try {
				read();
			}
			catch (KafkaException ex) {
				failure = ex;
			}
			// Only after the close, which an interrupt would abort.
			this.connected = false;
			Duration pause = (failure != null) ? pauseAfter(this, failure) : null;
			if (pause != null) {
				DeliverySource.this.time.sleep(pause);
				return;
			}
			boolean first = DeliverySource.this.prepared.getAndSet(false);
			if (failure != null) {
				failed(failure, first);
			}
		}

	}

}
