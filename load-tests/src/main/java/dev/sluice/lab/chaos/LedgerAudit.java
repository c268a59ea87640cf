package dev.sluice.lab.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.chaos.OrderLedger.Answer.Meaning;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares the answers that clients got with what the backend has, once everything runs
 * again. Every accepted order must be saved, or a gateway must say that it failed; no
 * refused order may be saved; and there must be no orders other than those placed.
 * <p>
 * Begins when no more orders arrive at the backend and Kafka has none to deliver: until
 * then even a refused order may still be saved. Each question has a deadline; without an
 * answer the audit throws a {@link LabException}, as it would prove nothing. Not
 * thread-safe.
 */
final class LedgerAudit {

	/** Between two looks at the backend. */
	static final Duration POLL = Duration.ofMillis(500);

	/**
	 * Looks without a new order at the backend, after which missing orders may never
	 * arrive.
	 */
	private static final int QUIET_POLLS = 6;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int TRIES = 5;

	private static final int OK = 200;

	private final OrderLedger ledger;

	private final OrderIdentity identity;

	private final BackendControl backend;

	private final URI gateway;

	private final Question<OptionalLong> unfinished;

	private final Duration poll;

	/** By id, when the backend saved it. */
	private Map<UUID, Long> savedMicros = Map.of();

	/** By order: those that the backend has. */
	private BitSet saved = new BitSet();

	/** By order: those of which a gateway has said that they failed. */
	private final BitSet failed = new BitSet();

	/**
	 * The result of an audit.
	 *
	 * @param violations a line for each order that breaks the balance, in the order of
	 * their numbers: {@code id,what,order}
	 * @param savedMicros when each order was saved, in microseconds since 1970
	 */
	record Audited(Balance balance, List<String> violations, Collection<Long> savedMicros) {
	}

	/**
	 * @param gateway asked for accepted orders that the backend does not have
	 * @param unfinished the number of records that Kafka still has to deliver, empty if
	 * unknown at the moment; asked once the backend is quiet
	 * @param poll between two looks at the backend
	 */
	LedgerAudit(OrderLedger ledger, OrderIdentity identity, BackendControl backend, URI gateway,
			Question<OptionalLong> unfinished, Duration poll) {
		this.ledger = ledger;
		this.identity = identity;
		this.backend = backend;
		this.gateway = gateway;
		this.unfinished = unfinished;
		this.poll = poll;
	}

	/**
	 * Waits until the orders under way have arrived, and audits.
	 * @param placed number of orders tried at least once
	 * @param within time for the accepted orders to arrive
	 * @param progress gets a line of text about the progress
	 * @throws LabException if the backend or the gateway does not answer, or Kafka still
	 * has orders to deliver at the deadline
	 */
	Audited run(int placed, Duration within, Consumer<String> progress) throws InterruptedException {
		long deadline = System.nanoTime() + within.toNanos();
		awaitQuiet(deadline, progress);
		progress.accept("looking up %s orders".formatted(placed));
		BackendAudit counts = lookUp();
		// Orders in doubt may have arrived between the two answers of the backend.
		for (int tries = 1; !isSettled(counts) && (tries < TRIES || System.nanoTime() - deadline < 0); tries++) {
			Thread.sleep(this.poll);
			counts = lookUp();
		}
		return new Audited(balance(placed, counts), violations(), this.savedMicros.values());
	}

	private void awaitQuiet(long deadline, Consumer<String> progress) throws InterruptedException {
		int accepted = this.ledger.count(Meaning.ACCEPTED, (_) -> true);
		long last = -1;
		long quietSince = System.nanoTime();
		while (true) {
			BackendAudit audit = retried(this.backend::audit);
			if (audit.received() != last || audit.inFlight() > 0) {
				last = audit.received();
				quietSince = System.nanoTime();
			}
			progress.accept("%s orders accepted, the backend has %s".formatted(accepted, audit.saved()));
			boolean late = System.nanoTime() - deadline >= 0;
			if (late || System.nanoTime() - quietSince >= this.poll.multipliedBy(QUIET_POLLS).toNanos()) {
				OptionalLong left = this.unfinished.ask();
				if (left.isPresent() && left.getAsLong() == 0) {
					return;
				}
				if (late) {
					throw new LabException("Orders are still under way (%s): the audit would prove nothing"
						.formatted(left.isPresent() ? "Kafka has %s to be delivered".formatted(left.getAsLong())
								: "Kafka does not report how many"));
				}
			}
			Thread.sleep(this.poll);
		}
	}

	/** Finds out what has become of each order; returns the backend's counts. */
	private BackendAudit lookUp() throws InterruptedException {
		this.savedMicros = retried(this.backend::savedMicros);
		BackendAudit counts = retried(this.backend::audit);
		this.saved = new BitSet();
		for (int order = 0; order < this.ledger.orders(); order++) {
			this.saved.set(order, this.savedMicros.containsKey(this.identity.id(order)));
			if (isLost(order)) {
				UUID id = this.identity.id(order);
				this.failed.set(order, retried(() -> hasFailed(id)));
			}
		}
		// One may have been delivered again since.
		this.failed.andNot(this.saved);
		return counts;
	}

	/** Whether the gateway reports that the order has failed. */
	private boolean hasFailed(UUID id) throws InterruptedException {
		URI uri = this.gateway.resolve("/orders/" + id);
		try {
			HttpResponse<String> view = Http.CLIENT
				.send(HttpRequest.newBuilder(uri).timeout(Patience.of(TIMEOUT)).build(), BodyHandlers.ofString());
			return view.statusCode() == OK
					&& JsonMapper.shared().readValue(view.body(), OrderView.class).status() == OrderStatus.FAILED;
		}
		catch (IOException | JacksonException ex) {
			throw new LabException("%s does not answer with an order: %s".formatted(uri, ex), ex);
		}
	}

	/** Asks again: a backend with a database needs a moment once the database is back. */
	private <T> T retried(Question<T> question) throws InterruptedException {
		for (int tries = 1;; tries++) {
			try {
				return question.ask();
			}
			catch (LabException ex) {
				if (tries == TRIES) {
					throw ex;
				}
			}
			Thread.sleep(this.poll);
		}
	}

	/** Fails with a {@link LabException} if there is no answer. */
	@FunctionalInterface
	interface Question<T> {

		T ask() throws InterruptedException;

	}

	private boolean isSettled(BackendAudit counts) {
		return lost() == 0 && counts.saved() == this.saved.cardinality();
	}

	/** Accepted, and neither saved nor failed, as far as is known. */
	private boolean isLost(int order) {
		return this.ledger.meaning(order) == Meaning.ACCEPTED && !this.saved.get(order) && !this.failed.get(order);
	}

	private int lost() {
		return this.ledger.count(Meaning.ACCEPTED, this::isLost);
	}

	private Balance balance(int placed, BackendAudit counts) {
		OrderLedger told = this.ledger;
		return new Balance(placed, told.attempts(),
				told.count(Meaning.ACCEPTED, (order) -> told.mode(order) == Mode.SYNC),
				told.count(Meaning.ACCEPTED, (order) -> told.mode(order) == Mode.QUEUED),
				told.count(Meaning.ACCEPTED, this.saved::get), told.count(Meaning.ACCEPTED, this.failed::get), lost(),
				told.count(Meaning.REFUSED, (_) -> true), told.count(Meaning.REFUSED, this.saved::get),
				told.count(Meaning.OPEN, (_) -> true), told.count(Meaning.OPEN, this.saved::get),
				counts.saved() - this.saved.cardinality(), told.misnamedOrders(), counts.duplicates(), counts.saved());
	}

	private List<String> violations() {
		List<String> violations = new ArrayList<>();
		for (int order = 0; order < this.ledger.orders(); order++) {
			if (isLost(order)) {
				violations.add("%s,lost,%s".formatted(this.identity.id(order), order));
			}
			else if (this.ledger.meaning(order) == Meaning.REFUSED && this.saved.get(order)) {
				violations.add("%s,refused but saved,%s".formatted(this.identity.id(order), order));
			}
		}
		return violations;
	}

}
