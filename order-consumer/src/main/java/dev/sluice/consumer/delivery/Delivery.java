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
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.consumer.limiter.RetryBudget;
import dev.sluice.consumer.outcome.DeadLetterKind;
import dev.sluice.consumer.outcome.DeadLetters;
import dev.sluice.consumer.outcome.OutcomePublisher;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers one record, from read to finished, on a virtual thread of its own:
 *
 * <pre>
 * waiting --ticket, permit--> busy (an attempt, then its outcome is published) --> finished
 *    ^                          |
 *    +---------back-off---------+
 * </pre>
 *
 * A record is finished when Kafka has acknowledged its last outcome, and its dead letter
 * if it became one. Only then may its offset be committed. A delivery that waits can be
 * cancelled at once. A busy one completes its attempt, publishes one outcome and then
 * ends. The next reader of the record delivers it again.
 */
final class Delivery implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Delivery.class);

	/** The customer of an outcome whose record names none: the contract requires one. */
	private static final String UNKNOWN_CUSTOMER = "unknown";

	private final ConsumerRecord<byte[], byte[]> record;

	private final KeySequencer.Ticket ticket;

	private final Context context;

	private final Listener listener;

	private final Thread thread;

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private boolean busy;

	private volatile boolean cancelled;

	Delivery(ConsumerRecord<byte[], byte[]> record, KeySequencer.Ticket ticket, Context context, Listener listener) {
		this.record = record;
		this.ticket = ticket;
		this.context = context;
		this.listener = listener;
		this.thread = context.threads.newThread(this);
	}

	/**
	 * What all deliveries use. Each component is thread-safe.
	 *
	 * @param threads creates the thread of a delivery
	 */
	record Context(RecordReader reader, PayloadHistory payloads, DeliveryLimiter limiter, Backend backend,
			RetryPolicy retries, OutcomePublisher outcomes, DeadLetters deadLetters, DeliveryTimers timers,
			ThreadFactory threads, Time time, InstantSource clock) {
	}

	/** Called on the delivery's thread when the delivery ends. */
	@FunctionalInterface
	interface Listener {

		/**
		 * @param finished whether the record is finished; if not, it was cancelled
		 * @param bug an unexpected exception that ended the delivery, or null
		 */
		void ended(boolean finished, @Nullable Throwable bug);

	}

	void start() {
		this.thread.start();
	}

	/**
	 * Ends the delivery: at once if it waits, otherwise after its attempt and outcome.
	 */
	synchronized void cancel() {
		this.cancelled = true;
		if (!this.busy) {
			this.thread.interrupt();
		}
	}

	/**
	 * Ends the delivery at once. The backend may have saved the order without this
	 * process knowing.
	 */
	synchronized void abandon() {
		this.cancelled = true;
		this.thread.interrupt();
	}

	/**
	 * @return whether the delivery has ended within the timeout
	 */
	boolean awaitEnd(Duration timeout) throws InterruptedException {
		return this.context.time.await(this.end, timeout);
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
			finished = this.ticket.await() && process();
		}
		catch (InterruptedException ex) {
			// Cancelled. The thread ends here, so the interrupt flag is not restored.
		}
		catch (RuntimeException | Error ex) {
			logger.error("The delivery of the record at offset {} of {}-{} failed with a bug", this.record.offset(),
					this.record.topic(), this.record.partition(), ex);
			bug = ex;
		}
		finally {
			this.ticket.release(finished);
			this.listener.ended(finished, bug);
			this.end.complete(null);
		}
	}

	private boolean process() throws InterruptedException {
		QueuedOrder order;
		try {
			order = this.context.reader.read(this.record);
		}
		catch (IllegalArgumentException ex) {
			return begin() && failUnreadable(ex);
		}
		if (this.context.payloads.conflictsWith(order)) {
			return begin() && conflict(0, "a record before this one has another payload under id " + order.id());
		}
		return deliver(order);
	}

	private boolean deliver(QueuedOrder order) throws InterruptedException {
		RetryPolicy retries = this.context.retries;
		RetryBudget budget = this.context.limiter.budget(retries.maxAttempts());
		int attempts = 0;
		int throttled = 0;
		FailureReason last = null;
		while (true) {
			if (last != null && budget.isSpent()) {
				return begin() && fail(order, DeadLetterKind.EXHAUSTED, attempts, last);
			}
			long beganNanos = this.context.limiter.acquire();
			if (!begin()) {
				this.context.limiter.release();
				return false;
			}
			Ended ended = attempt(order, beganNanos);
			switch (ended.attempt()) {
				case Saved(Instant at) -> {
					return finish(order, OrderStatus.SAVED, attempts + 1, (at != null) ? at : now(), null);
				}
				case Rejected(FailureReason why) -> {
					return fail(order, DeadLetterKind.REJECTED, attempts + 1, why);
				}
				case Conflict(FailureReason why) -> {
					return conflict(attempts + 1, why.detail());
				}
				case Throttled attempt -> {
					// Not an attempt of the order, which waits as it does for a permit.
					if (isTooOld(order)) {
						return fail(order, DeadLetterKind.EXHAUSTED, Math.max(attempts, 1), attempt.why());
					}
					if (!pause()) {
						return false;
					}
					this.context.time.sleep(retries.after(attempt, ++throttled));
				}
				case RetryLater(FailureReason why, boolean _) -> {
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
					this.context.time.sleep(retries.backoff().after(attempts));
				}
			}
		}
	}

	private boolean isTooOld(QueuedOrder order) {
		return this.context.retries.isTooOld(order.acceptedAt(), now());
	}

	private Ended attempt(QueuedOrder order, long beganNanos) {
		Attempt attempt = new RetryLater(FailureReason.interrupted("the delivery was interrupted"), true);
		Failure failure = null;
		try {
			attempt = this.context.backend.deliver(order);
		}
		finally {
			failure = this.context.limiter.release(attempt, beganNanos);
			this.context.timers.attempted(attempt, this.context.time.nanoTime() - beganNanos);
		}
		if (attempt instanceof Saved) {
			this.context.timers.saved(Duration.between(order.acceptedAt(), now()));
		}
		return new Ended(attempt, failure);
	}

	/** Publishes the dead letter first, so that it exists when the order is failed. */
	private boolean fail(QueuedOrder order, DeadLetterKind kind, int attempts, FailureReason why)
			throws InterruptedException {
		return this.context.deadLetters.publish(this.record, kind, why.detail(), attempts, null, this::isWanted)
				&& finish(order, OrderStatus.FAILED, attempts, now(), why.reason());
	}

	/** Publishes no outcome: the other order with this id continues. */
	private boolean conflict(int attempts, String detail) throws InterruptedException {
		return this.context.deadLetters.publish(this.record, DeadLetterKind.CONFLICT, detail, attempts, null,
				this::isWanted);
	}

	private boolean finish(QueuedOrder order, OrderStatus status, int attempts, Instant at, @Nullable String reason)
			throws InterruptedException {
		boolean published = publish(order, status, attempts, at, reason);
		if (published) {
			this.context.payloads.finished(order);
		}
		return published;
	}

	private boolean failUnreadable(IllegalArgumentException ex) throws InterruptedException {
		FailureReason why = FailureReason.unreadable(String.valueOf(ex.getMessage()));
		if (!this.context.deadLetters.publish(this.record, DeadLetterKind.UNREADABLE, why.detail(), 0, ex,
				this::isWanted)) {
			return false;
		}
		UUID id;
		try {
			id = OrderEvent.id(this.record);
		}
		catch (IllegalArgumentException unknown) {
			// No client can ask for the order. The dead letter says why.
			return true;
		}
		byte[] key = this.record.key();
		String customerId = (key != null && key.length > 0) ? new String(key, StandardCharsets.UTF_8)
				: UNKNOWN_CUSTOMER;
		return this.context.outcomes.publish(new OrderOutcome(id, customerId, OrderStatus.FAILED, 0, now(),
				OrderEvent.acceptedAtOrNull(this.record), why.reason(), null), this::isWanted);
	}

	private boolean publish(QueuedOrder order, OrderStatus status, int attempts, Instant at, @Nullable String reason)
			throws InterruptedException {
		// No gateway accepts a longer order again, and it does not fit into an outcome.
		boolean kept = status == OrderStatus.FAILED && order.body().length <= Order.MAX_BYTES;
		String json = kept ? new String(order.body(), StandardCharsets.UTF_8) : null;
		return this.context.outcomes.publish(new OrderOutcome(order.id(), order.customerId(), status, attempts, at,
				order.acceptedAt(), reason, json), this::isWanted);
	}

	private Instant now() {
		return this.context.clock.instant();
	}

	private boolean isWanted() {
		return !this.cancelled;
	}

	/**
	 * @param failure the failure of the attempt if it may count against the order, else
	 * null
	 */
	private record Ended(Attempt attempt, @Nullable Failure failure) {
	}

}
