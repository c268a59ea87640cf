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
import dev.sluice.consumer.backend.Attempt.Reach;
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
import dev.sluice.contract.Fingerprint;
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
 * <p>
 * After an attempt without an answer the order may be saved. So before the next attempt,
 * or before it is given up, the delivery asks the backend for it. That has no effect, so
 * it is waiting meanwhile. If the backend has the id, and another payload may have it,
 * the next attempt that is answered tells whether this one is saved.
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

	/** Waits for the end of the delivery: whether it has come within the timeout. */
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
		boolean unanswered = false;
		boolean tooOld = false;
		GivenUp last = null;
		Saved found = null;
		Instant began = now();
		while (true) {
			GivenUp givenUp = (tooOld || budget.isSpent()) ? last : null;
			if (givenUp != null && !unanswered) {
				return begin() && fail(order, givenUp, attempts);
			}
			long beganNanos = this.context.limiter.acquire();
			if (unanswered && found == null) {
				found = find(order);
				if (found != null && order.fingerprint() == null) {
					this.context.limiter.release();
					return begin() && saved(order, attempts, found);
				}
				if (found == null && givenUp != null) {
					this.context.limiter.release();
					return begin() && fail(order, givenUp, attempts);
				}
				// The look-up is no part of the attempt.
				beganNanos = this.context.time.nanoTime();
			}
			if (!begin()) {
				this.context.limiter.release();
				return false;
			}
			Ended ended = attempt(order, beganNanos);
			boolean before = found != null && found.at() != null && found.at().isBefore(began)
					&& attempts + 1 < retries.maxAttempts();
			if (found != null && endsAsFound(ended.attempt(), before, givenUp != null)) {
				return saved(order, attempts, found);
			}
			Duration wait;
			switch (ended.attempt()) {
				case Saved saved -> {
					return saved(order, attempts + 1, saved);
				}
				case Conflict(FailureReason why) -> {
					return conflict(attempts + 1, why.detail())
							&& this.context.outcomes.publish(OrderOutcome.conflict(order.id(), order.customerId(),
									now(), Fingerprint.ofJson(order.body())), this::isWanted);
				}
				case Throttled attempt -> {
					// Not an attempt of the order, which waits as it does for a permit.
					last = new GivenUp(DeadLetterKind.EXHAUSTED, attempt.why());
					wait = retries.after(attempt, ++throttled);
				}
				case Rejected(FailureReason why) -> {
					budget.rejected(ended.failure());
					last = new GivenUp(DeadLetterKind.REJECTED, why);
					wait = retries.backoff().after(++attempts);
				}
				case RetryLater(FailureReason why, Reach reach) -> {
					budget.failed(ended.failure());
					unanswered |= reach == Reach.UNANSWERED;
					last = new GivenUp(DeadLetterKind.EXHAUSTED, why);
					wait = retries.backoff().after(++attempts);
				}
			}
			tooOld = retries.isTooOld(order.acceptedAt(), now());
			if (!tooOld && !(ended.attempt() instanceof Throttled)) {
				throttled = 0;
				logger.debug("Order {}, attempt {}: {}", order.id(), attempts, last.why().detail());
				if (!publish(order, OrderStatus.RETRYING, attempts, now(), last.why().reason())) {
					return false;
				}
			}
			if (!pause()) {
				return false;
			}
			if (!tooOld || found != null) {
				this.context.time.sleep(wait);
			}
		}
	}

	/**
	 * Whether an order whose id the backend has counts as saved after one more attempt.
	 * While the backend only answers that it fails, a later attempt may tell whether it
	 * has another payload.
	 * @param before whether it had the id before the first attempt, maybe with another
	 * payload, and an attempt is left
	 * @param last whether the order would be given up
	 */
	private static boolean endsAsFound(Attempt attempt, boolean before, boolean last) {
		return switch (attempt) {
			case Saved _, Rejected _ -> true;
			case Conflict _, Throttled _ -> false;
			case RetryLater retry ->
				(retry.reach() == Reach.UNANSWERED) ? !before : retry.reach() == Reach.ANSWERED && last;
		};
	}

	/**
	 * Asks whether the backend has the order after all, an attempt of which had no
	 * answer. Interrupted, it gives the permit back.
	 */
	private @Nullable Saved find(QueuedOrder order) throws InterruptedException {
		try {
			Saved found = this.context.backend.find(order.id());
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			return found;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			this.context.limiter.release();
			throw ex;
		}
	}

	private Ended attempt(QueuedOrder order, long beganNanos) {
		Attempt attempt = new RetryLater(FailureReason.interrupted("the delivery was interrupted"), Reach.UNANSWERED);
		Failure failure = null;
		try {
			attempt = this.context.backend.deliver(order);
		}
		finally {
			failure = this.context.limiter.release(attempt, beganNanos);
			this.context.timers.attempted(attempt, this.context.time.nanoTime() - beganNanos);
		}
		return new Ended(attempt, failure);
	}

	private boolean saved(QueuedOrder order, int attempts, Saved saved) throws InterruptedException {
		this.context.timers.saved(Duration.between(order.acceptedAt(), now()));
		return finish(order, OrderStatus.SAVED, attempts, (saved.at() != null) ? saved.at() : now(), null);
	}

	/** Publishes the dead letter first, so that it exists when the order is failed. */
	private boolean fail(QueuedOrder order, GivenUp givenUp, int counted) throws InterruptedException {
		FailureReason why = givenUp.why();
		// An order that was only throttled has had none that counts.
		int attempts = Math.max(counted, 1);
		return this.context.deadLetters.publish(this.record, givenUp.kind(), why.detail(), attempts, null,
				this::isWanted) && finish(order, OrderStatus.FAILED, attempts, now(), why.reason());
	}

	/**
	 * The other order with this id continues. If the backend has it, the caller says so:
	 * its own outcome may be lost.
	 */
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
		String customerId = OrderEvent.customerId(this.record);
		return this.context.outcomes.publish(new OrderOutcome(id, (customerId != null) ? customerId : UNKNOWN_CUSTOMER,
				OrderStatus.FAILED, 0, now(), OrderEvent.acceptedAtOrNull(this.record), why.reason(), null),
				this::isWanted);
	}

	private boolean publish(QueuedOrder order, OrderStatus status, int attempts, Instant at, @Nullable String reason)
			throws InterruptedException {
		// No gateway accepts a longer order again, and it does not fit into an outcome.
		boolean kept = status == OrderStatus.FAILED && order.body().length <= Order.MAX_BYTES;
		String json = kept ? new String(order.body(), StandardCharsets.UTF_8) : null;
		Fingerprint fingerprint = order.fingerprint();
		return this.context.outcomes.publish(new OrderOutcome(order.id(), order.customerId(), status, attempts, at,
				order.acceptedAt(), reason, json, (fingerprint != null) ? fingerprint.hex() : null, null),
				this::isWanted);
	}

	private Instant now() {
		return this.context.clock.instant();
	}

	private boolean isWanted() {
		return !this.cancelled;
	}

	/** An attempt, and its failure if that may count against the order. */
	private record Ended(Attempt attempt, @Nullable Failure failure) {
	}

	/** What the dead letter says if the order is given up after an attempt. */
	private record GivenUp(DeadLetterKind kind, FailureReason why) {
	}

}
