package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

import dev.sluice.consumer.OrderEvent;
import dev.sluice.consumer.Time;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.Backend;
import dev.sluice.consumer.backend.Explanation;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import dev.sluice.consumer.limiter.Gate;
import dev.sluice.consumer.limiter.RetryBudget;
import dev.sluice.consumer.outcome.DeadLetterKind;
import dev.sluice.consumer.outcome.DeadLetters;
import dev.sluice.consumer.outcome.Outcomes;
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
 * while it is busy, it ends its attempt and publishes one outcome first, and begins
 * nothing more. What is cancelled is delivered by whoever reads the record next.
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

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private boolean busy;

	private volatile boolean cancelled;

	Delivery(ConsumerRecord<byte[], byte[]> record, Turns.Turn turn, Tools tools, Listener listener) {
		this.record = record;
		this.turn = turn;
		this.tools = tools;
		this.listener = listener;
		this.thread = tools.threads.newThread(this);
	}

	/**
	 * What all deliveries use. Each is safe for use by several threads.
	 *
	 * @param threads makes the thread of a delivery
	 */
	record Tools(RecordReader reader, FirstPayloads payloads, Gate gate, Backend backend, RetryPolicy retries,
			Outcomes outcomes, DeadLetters deadLetters, DeliveryTimers timers, ThreadFactory threads, Time time,
			InstantSource clock) {
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
		return this.tools.time.await(this.end, timeout);
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
			this.end.complete(null);
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
		if (this.tools.payloads.conflictsWith(order)) {
			return begin() && conflict(0, "a record before this one has another payload under id " + order.id());
		}
		return deliver(order);
	}

	private boolean deliver(QueuedOrder order) throws InterruptedException {
		RetryPolicy retries = this.tools.retries;
		RetryBudget budget = this.tools.gate.budget(retries.maxAttempts());
		int attempts = 0;
		int throttled = 0;
		Explanation last = null;
		while (true) {
			if (last != null && this.tools.gate.isSpent(budget)) {
				return begin() && fail(order, DeadLetterKind.EXHAUSTED, attempts, last);
			}
			long beganNanos = this.tools.gate.enter();
			if (!begin()) {
				this.tools.gate.leave();
				return false;
			}
			Ended ended = attempt(order, beganNanos);
			switch (ended.attempt()) {
				case Saved(Instant at) -> {
					return finish(order, OrderStatus.SAVED, attempts + 1, (at != null) ? at : now(), null);
				}
				case Rejected(Explanation why) -> {
					return fail(order, DeadLetterKind.REJECTED, attempts + 1, why);
				}
				case Conflict(Explanation why) -> {
					return conflict(attempts + 1, why.detail());
				}
				case Throttled attempt -> {
					// Not the order's attempt: it waits as it would for a place.
					if (isTooOld(order)) {
						return fail(order, DeadLetterKind.EXHAUSTED, Math.max(attempts, 1), attempt.why());
					}
					if (!pause()) {
						return false;
					}
					this.tools.time.sleep(retries.after(attempt, ++throttled));
				}
				case RetryLater(Explanation why, boolean _) -> {
					attempts++;
					throttled = 0;
					if (isTooOld(order)) {
						return fail(order, DeadLetterKind.EXHAUSTED, attempts, why);
					}
					budget.failed(ended.failure());
					last = why;
					logger.debug("Order {}, attempt {}: {}", order.id(), attempts, why.detail());
					if (!publish(order, OrderStatus.RETRYING, attempts, now(), why.reason()) || !pause()) {
						return false;
					}
					this.tools.time.sleep(retries.backoff().after(attempts));
				}
			}
		}
	}

	private boolean isTooOld(QueuedOrder order) {
		return this.tools.retries.isTooOld(order.acceptedAt(), now());
	}

	private Ended attempt(QueuedOrder order, long beganNanos) {
		Attempt attempt = new RetryLater(Explanation.brokenOff("the delivery broke off"), true);
		Failure failure = null;
		try {
			attempt = this.tools.backend.deliver(order);
		}
		finally {
			failure = this.tools.gate.leave(attempt, beganNanos);
			this.tools.timers.attempted(attempt, this.tools.time.nanoTime() - beganNanos);
		}
		if (attempt instanceof Saved) {
			this.tools.timers.saved(Duration.between(order.acceptedAt(), now()));
		}
		return new Ended(attempt, failure);
	}

	/** The dead letter first: who hears that an order failed will find it there. */
	private boolean fail(QueuedOrder order, DeadLetterKind kind, int attempts, Explanation why)
			throws InterruptedException {
		return this.tools.deadLetters.bury(this.record, kind, why.detail(), attempts, null, this::isWanted)
				&& finish(order, OrderStatus.FAILED, attempts, now(), why.reason());
	}

	/** Without an outcome: the order of this id is another one, and goes on. */
	private boolean conflict(int attempts, String detail) throws InterruptedException {
		return this.tools.deadLetters.bury(this.record, DeadLetterKind.CONFLICT, detail, attempts, null,
				this::isWanted);
	}

	private boolean finish(QueuedOrder order, OrderStatus status, int attempts, Instant at, @Nullable String reason)
			throws InterruptedException {
		boolean published = publish(order, status, attempts, at, reason);
		if (published) {
			this.tools.payloads.finished(order);
		}
		return published;
	}

	private boolean failUnreadable(IllegalArgumentException ex) throws InterruptedException {
		Explanation why = Explanation.unreadable(String.valueOf(ex.getMessage()));
		if (!this.tools.deadLetters.bury(this.record, DeadLetterKind.UNREADABLE, why.detail(), 0, ex, this::isWanted)) {
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
		return this.tools.outcomes.publish(new OrderOutcome(id, customerId, OrderStatus.FAILED, 0, now(),
				OrderEvent.acceptedAtOrNull(this.record), why.reason(), null), this::isWanted);
	}

	private boolean publish(QueuedOrder order, OrderStatus status, int attempts, Instant at, @Nullable String reason)
			throws InterruptedException {
		// What is longer than an order may be no gateway would take again, nor Kafka as a
		// part of an outcome.
		boolean kept = status == OrderStatus.FAILED && order.body().length <= Order.MAX_BYTES;
		String json = kept ? new String(order.body(), StandardCharsets.UTF_8) : null;
		return this.tools.outcomes.publish(new OrderOutcome(order.id(), order.customerId(), status, attempts, at,
				order.acceptedAt(), reason, json), this::isWanted);
	}

	private Instant now() {
		return this.tools.clock.instant();
	}

	private boolean isWanted() {
		return !this.cancelled;
	}

	/**
	 * @param failure set if the attempt failed and that may count against the order
	 */
	private record Ended(Attempt attempt, @Nullable Failure failure) {
	}

}
