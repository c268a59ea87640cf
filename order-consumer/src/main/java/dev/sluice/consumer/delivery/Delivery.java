package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.consumer.delivery.Attempt.Rejected;
import dev.sluice.consumer.delivery.Attempt.RetryLater;
import dev.sluice.consumer.delivery.Attempt.Saved;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One record's life, from read to finished, on a virtual thread of its own:
 *
 * <pre>
 * waiting --turn, gate--> busy (an attempt, then its outcome is published) --> finished
 *    ^                      |
 *    +-------back-off-------+
 * </pre>
 *
 * It is finished when Kafka has acknowledged its last outcome, and its dead letter if it
 * became one; only then may its offset be committed. While it waits, it can be cancelled;
 * while it is busy, it comes to an end first. What is cancelled is delivered by whoever
 * reads the record next.
 */
final class Delivery implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Delivery.class);

	/** Where the customer is not known: the contract wants one. */
	private static final String UNKNOWN_CUSTOMER = "unknown";

	private final ConsumerRecord<byte[], byte[]> record;

	private final Turns.Turn turn;

	private final Tools tools;

	private final Listener listener;

	private final Thread thread;

	private boolean busy;

	private volatile boolean cancelled;

	Delivery(ConsumerRecord<byte[], byte[]> record, Turns.Turn turn, Tools tools, Listener listener) {
		this.record = record;
		this.turn = turn;
		this.tools = tools;
		this.listener = listener;
		this.thread = Thread.ofVirtual().name("delivery").unstarted(this);
	}

	/**
	 * What all deliveries use. Each is safe for use by several threads.
	 *
	 * @param maxAttempts failures that make an order a dead letter
	 */
	record Tools(RecordReader reader, Gate gate, Backend backend, Backoff backoff, int maxAttempts, Outcomes outcomes,
			DeadLetters deadLetters, DeliveryTimers timers, InstantSource clock) {
	}

	/** Is told of the end, on the delivery's thread. */
	@FunctionalInterface
	interface Listener {

		/**
		 * @param finished whether the record is done with; else it was cancelled
		 * @param bug what it broke off by, which is no outcome of a delivery; or null
		 */
		void ended(boolean finished, @Nullable Throwable bug);

	}

	void start() {
		this.thread.start();
	}

	/**
	 * Ends it at once if it waits; else as soon as its attempt and outcome are through.
	 */
	synchronized void cancel() {
		this.cancelled = true;
		if (!this.busy) {
			this.thread.interrupt();
		}
	}

	/** Ends it whatever it does. The attempt may have been a success that nobody saw. */
	synchronized void abandon() {
		this.cancelled = true;
		this.thread.interrupt();
	}

	/**
	 * @return whether it has ended by then
	 */
	boolean awaitEnd(Duration timeout) throws InterruptedException {
		return this.thread.join(timeout);
	}

	/** From waiting to busy. */
	private synchronized boolean begin() {
		this.busy = !this.cancelled;
		return this.busy;
	}

	/** From busy to waiting. */
	private synchronized boolean pause() {
		this.busy = false;
		return !this.cancelled;
	}

	@Override
	public void run() {
		boolean finished = false;
		Throwable bug = null;
		try {
			finished = this.turn.await() && live();
		}
		catch (InterruptedException ex) {
			// Cancelled. The thread ends here, nobody is left to see its flag.
		}
		catch (RuntimeException | Error ex) {
			logger.error("The delivery of {}-{} at {} broke off", this.record.topic(), this.record.partition(),
					this.record.offset(), ex);
			bug = ex;
		}
		finally {
			this.turn.end(finished);
			this.listener.ended(finished, bug);
		}
	}

	private boolean live() throws InterruptedException {
		QueuedOrder order;
		try {
			order = this.tools.reader.read(this.record);
		}
		catch (IllegalArgumentException ex) {
			return begin() && failUnreadable(ex);
		}
		return deliver(order);
	}

	private boolean deliver(QueuedOrder order) throws InterruptedException {
		int attempts = 0;
		int failures = 0;
		int outages = this.tools.gate.outages();
		while (true) {
			this.tools.gate.enter();
			if (!begin()) {
				this.tools.gate.leave();
				return false;
			}
			attempts++;
			switch (attempt(order)) {
				case Saved saved -> {
					return publish(order, OrderStatus.SAVED, attempts, null);
				}
				case Rejected(String reason) -> {
					return fail(order, DeadLetterKind.REJECTED, attempts, reason);
				}
				case RetryLater(String reason, boolean reached) -> {
					// An outage says nothing about the order, and neither do the failures
					// by which it was noticed.
					if (outages != this.tools.gate.outages()) {
						outages = this.tools.gate.outages();
						failures = 0;
					}
					if (reached && this.tools.gate.isOpenToAll()) {
						failures++;
					}
					if (failures >= this.tools.maxAttempts) {
						return fail(order, DeadLetterKind.EXHAUSTED, attempts, reason);
					}
					if (!publish(order, OrderStatus.RETRYING, attempts, reason) || !pause()) {
						return false;
					}
					Thread.sleep(this.tools.backoff.after(attempts));
				}
			}
		}
	}

	private Attempt attempt(QueuedOrder order) {
		Attempt attempt = new RetryLater("the delivery broke off", true);
		long begin = System.nanoTime();
		try {
			attempt = this.tools.backend.deliver(order);
		}
		finally {
			long elapsedNanos = System.nanoTime() - begin;
			this.tools.gate.leave(attempt, elapsedNanos);
			this.tools.timers.attempted(attempt, elapsedNanos);
		}
		if (attempt instanceof Saved) {
			this.tools.timers.saved(Duration.between(order.acceptedAt(), this.tools.clock.instant()));
		}
		return attempt;
	}

	/** The dead letter first: who hears that an order failed will find it there. */
	private boolean fail(QueuedOrder order, DeadLetterKind kind, int attempts, String reason)
			throws InterruptedException {
		return this.tools.deadLetters.bury(this.record, kind, reason, attempts, null, this::isWanted)
				&& publish(order, OrderStatus.FAILED, attempts, reason);
	}

	private boolean failUnreadable(IllegalArgumentException ex) throws InterruptedException {
		String reason = String.valueOf(ex.getMessage());
		if (!this.tools.deadLetters.bury(this.record, DeadLetterKind.UNREADABLE, reason, 0, ex, this::isWanted)) {
			return false;
		}
		UUID id;
		try {
			id = OrderEvent.id(this.record);
		}
		catch (IllegalArgumentException unknown) {
			// Nobody can ask for it. The dead letter says so already.
			return true;
		}
		byte[] key = this.record.key();
		String customerId = (key != null && key.length > 0) ? new String(key, StandardCharsets.UTF_8)
				: UNKNOWN_CUSTOMER;
		return this.tools.outcomes.publish(new OrderOutcome(id, customerId, OrderStatus.FAILED, 0, now(), reason, null),
				this::isWanted);
	}

	private boolean publish(QueuedOrder order, OrderStatus status, int attempts, @Nullable String reason)
			throws InterruptedException {
		// What is longer than an order may be no gateway would take again, nor Kafka as a
		// part of an outcome.
		boolean kept = status == OrderStatus.FAILED && order.body().length <= Order.MAX_BYTES;
		String json = kept ? new String(order.body(), StandardCharsets.UTF_8) : null;
		return this.tools.outcomes.publish(
				new OrderOutcome(order.id(), order.customerId(), status, attempts, now(), reason, json),
				this::isWanted);
	}

	private Instant now() {
		return this.tools.clock.instant();
	}

	private boolean isWanted() {
		return !this.cancelled;
	}

}
