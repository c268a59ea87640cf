package dev.sluice.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import dev.sluice.lab.chaos.Answer.Meaning;
import dev.sluice.lab.chaos.BackendWitness.Fate;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;

/**
 * Compares the answers that clients got with what the backend has, once everything runs
 * again. Every accepted order must be saved or have failed, no refused order may be
 * saved, and there must be no orders other than those placed.
 * <p>
 * Waits for orders under way until a deadline. Not thread-safe; asks the witness in
 * {@link #THREADS} threads.
 */
final class LedgerAudit {

	/** Instead of the time at which an order was saved. */
	static final long NOT_SAVED = Long.MIN_VALUE;

	private static final int THREADS = 24;

	/** Progress is reported each time this many orders have been looked up. */
	private static final int PROGRESS_ORDERS = 500;

	private static final int TRIES = 5;

	private final OrderLedger ledger;

	private final OrderIdentity identity;

	private final BackendWitness witness;

	private final int placed;

	/**
	 * By order, as far as the witness knows; null if it does not know the order. Each
	 * element is written by one asker.
	 */
	private final @Nullable OrderStatus[] statuses;

	/**
	 * By order, by the backend's clock; {@link #NOT_SAVED} if the order is not saved or
	 * the time is unknown.
	 */
	private final long[] savedMicros;

	/**
	 * The result of an audit.
	 *
	 * @param violations a line for each order that breaks the balance, in the order of
	 * their numbers: {@code id,what,order}
	 */
	public record Audited(Balance balance, OrderPerCustomer perCustomer, List<String> violations) {
	}

	/**
	 * @param placed number of orders tried at least once
	 */
	public LedgerAudit(OrderLedger ledger, OrderIdentity identity, BackendWitness witness, int placed) {
		this.ledger = ledger;
		this.identity = identity;
		this.witness = witness;
		this.placed = placed;
		this.statuses = new OrderStatus[ledger.orders()];
		this.savedMicros = new long[ledger.orders()];
		Arrays.fill(this.savedMicros, NOT_SAVED);
	}

	/**
	 * Waits until the orders under way have arrived, and audits.
	 * @param within time for the accepted orders to arrive
	 * @param progress gets a line of text about the progress
	 * @throws LabException if the witness does not answer, or knows at the deadline of
	 * orders that are still to be delivered
	 */
	public Audited run(Duration within, Consumer<String> progress) throws InterruptedException {
		long deadline = System.nanoTime() + within.toNanos();
		int accepted = this.ledger.count(Meaning.ACCEPTED);
		this.witness.awaitQuiet(deadline, (far) -> progress.accept("%s orders accepted, %s".formatted(accepted, far)));
		ask(this::isPending, progress);
		while (count(this::isPending) > 0 && System.nanoTime() - deadline <= 0) {
			this.witness.pause();
			ask(this::isPending, progress);
		}
		// The orders that were not accepted, once the others have arrived.
		ask(this::isMissing, progress);
		BackendAudit counts = this.witness.counts();
		for (int tries = 1; tries < TRIES && counts.saved() != count(this::isSaved); tries++) {
			// Orders in doubt may have arrived since they were looked up.
			ask(this::isMissing, progress);
			counts = this.witness.counts();
		}
		return new Audited(balance(counts),
				OrderPerCustomer.of(this.ledger, this.identity, (order) -> this.savedMicros[order]), violations());
	}

	private boolean isSaved(int order) {
		return this.statuses[order] == OrderStatus.SAVED;
	}

	private boolean isFailed(int order) {
		return this.statuses[order] == OrderStatus.FAILED;
	}

	private boolean isPending(int order) {
		return this.ledger.meaning(order) == Meaning.ACCEPTED && !isSaved(order) && !isFailed(order);
	}

	private boolean isMissing(int order) {
		return this.ledger.meaning(order) != Meaning.NONE && !isSaved(order);
	}

	private int count(IntPredicate which) {
		return (int) IntStream.range(0, this.ledger.orders()).filter(which).count();
	}

	private void ask(IntPredicate which, Consumer<String> progress) throws InterruptedException {
		int all = count(which);
		AtomicInteger next = new AtomicInteger();
		AtomicInteger asked = new AtomicInteger();
		Callable<Void> asker = () -> {
			try {
				for (int order = next.getAndIncrement(); order < this.ledger.orders(); order = next.getAndIncrement()) {
					if (which.test(order)) {
						ask(order);
						if (asked.incrementAndGet() % PROGRESS_ORDERS == 0) {
							progress.accept("%s of %s orders looked up".formatted(asked.get(), all));
						}
					}
				}
				return null;
			}
			finally {
				// After a failure the others need not go on.
				next.set(this.ledger.orders());
			}
		};
		try (ExecutorService askers = Executors.newVirtualThreadPerTaskExecutor()) {
			for (Future<Void> each : askers.invokeAll(Collections.nCopies(THREADS, asker))) {
				each.get();
			}
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
	}

	private void ask(int order) throws InterruptedException {
		Fate fate = this.witness.fate(this.identity.id(order));
		if (fate != null) {
			this.statuses[order] = fate.status();
			this.savedMicros[order] = (fate.savedAt() != null)
					? ChronoUnit.MICROS.between(Instant.EPOCH, fate.savedAt()) : NOT_SAVED;
		}
	}

	private Balance balance(BackendAudit counts) {
		return new Balance(this.placed, this.ledger.attempts(), this.ledger.accepted(Mode.SYNC),
				this.ledger.accepted(Mode.QUEUED), count(Meaning.ACCEPTED, this::isSaved),
				count(Meaning.ACCEPTED, this::isFailed), count(this::isPending), this.ledger.count(Meaning.REFUSED),
				count(Meaning.REFUSED, this::isSaved), this.ledger.count(Meaning.OPEN),
				count(Meaning.OPEN, this::isSaved), counts.saved() - count(this::isSaved), this.ledger.misnamedOrders(),
				counts.duplicates(), counts.saved());
	}

	private int count(Meaning meaning, IntPredicate which) {
		return count((order) -> this.ledger.meaning(order) == meaning && which.test(order));
	}

	private List<String> violations() {
		List<String> violations = new ArrayList<>();
		for (int order = 0; order < this.ledger.orders(); order++) {
			if (isPending(order)) {
				violations.add("%s,lost,%s".formatted(this.identity.id(order), order));
			}
			else if (this.ledger.meaning(order) == Meaning.REFUSED && isSaved(order)) {
				violations.add("%s,refused but saved,%s".formatted(this.identity.id(order), order));
			}
		}
		return violations;
	}

	/**
	 * Writes all violations.
	 * @throws IOException if they cannot be written
	 */
	public static void write(List<String> violations, Path file) throws IOException {
		Files.write(file, Stream.concat(Stream.of("id,what,order"), violations.stream()).toList());
	}

}
