package dev.sluice.lab.chaos;

import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.lab.chaos.Answer.Meaning;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds what the clients were told against what the backend has, once everything runs
 * again: every accepted order must be saved, or failed at a gateway; what was refused
 * must not be saved; and the backend must have no order beside those placed.
 * <p>
 * Waits for orders under way until a deadline: while Kafka has one that is to be
 * delivered, even a refused one may still come to be saved. For one thread; it asks with
 * {@link #ASKERS} connections.
 */
final class LedgerAudit implements AutoCloseable {

	/** Instead of the time at which the backend saved an order. */
	static final long NOT_SAVED = Long.MIN_VALUE;

	private static final int ASKERS = 24;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int TRIES = 5;

	private static final int OK = 200;

	private static final int NOT_FOUND = 404;

	private static final int UNAVAILABLE = 503;

	private final JsonMapper json = JsonMapper.shared();

	private final HttpClient client = Http.client(TIMEOUT);

	private final OrderLedger ledger;

	private final OrderIdentity identity;

	private final URI backend;

	private final URI gateway;

	private final int placed;

	private final Unfinished unfinished;

	private final Pace pace;

	private final BitSet saved = new BitSet();

	/** By the backend's clock; each written by one asker. */
	private final long[] savedMicros;

	private final BitSet failed = new BitSet();

	/**
	 * What came out.
	 *
	 * @param violations a line for each order that breaks the balance, in the order of
	 * their numbers: {@code id,what,order}
	 */
	record Finding(Balance balance, OrderPerCustomer perCustomer, List<String> violations) {
	}

	/** What Kafka still has to be delivered. */
	@FunctionalInterface
	interface Unfinished {

		/** How many records; empty if that is not known just now. */
		OptionalLong records() throws InterruptedException;

	}

	/**
	 * How it waits.
	 *
	 * @param poll until it looks again
	 * @param quiet nothing has come to the backend for so long: what is missing then may
	 * be missing for good
	 */
	record Pace(Duration poll, Duration quiet) {

		static final Pace DEFAULT = new Pace(Duration.ofMillis(500), Duration.ofSeconds(3));

	}

	/**
	 * @param gateway asked for orders that the backend does not have
	 * @param placed orders tried at least once
	 * @param unfinished asked once the backend is quiet
	 */
	LedgerAudit(OrderLedger ledger, OrderIdentity identity, URI backend, URI gateway, int placed,
			Unfinished unfinished) {
		this(ledger, identity, backend, gateway, placed, unfinished, Pace.DEFAULT);
	}

	LedgerAudit(OrderLedger ledger, OrderIdentity identity, URI backend, URI gateway, int placed, Unfinished unfinished,
			Pace pace) {
		this.ledger = ledger;
		this.identity = identity;
		this.backend = backend;
		this.gateway = gateway;
		this.placed = placed;
		this.unfinished = unfinished;
		this.pace = pace;
		this.savedMicros = new long[ledger.orders()];
		Arrays.fill(this.savedMicros, NOT_SAVED);
	}

	/**
	 * Waits until the orders under way have arrived, and audits.
	 * @param deadlineMillis for the accepted orders to arrive
	 * @param progress is told how far it is
	 * @throws LabException if the backend does not answer, or Kafka still has orders to
	 * be delivered at the deadline, or does not tell
	 */
	Finding run(long deadlineMillis, Consumer<String> progress) throws InterruptedException {
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMillis);
		awaitQuiet(deadline, progress);
		ask(this::isMissing, this::askBackend, progress);
		while (!pending().isEmpty()) {
			ask(this::isPending, this::askBackend, progress);
			ask(this::isPending, this::askGateway, progress);
			if (System.nanoTime() - deadline > 0) {
				break;
			}
			if (!pending().isEmpty()) {
				Thread.sleep(this.pace.poll());
			}
		}
		BackendAudit audit = audit();
		for (int tries = 1; tries < TRIES && audit.saved() != this.saved.cardinality(); tries++) {
			// Orders in doubt that have arrived since they were asked for.
			ask(this::isMissing, this::askBackend, progress);
			audit = audit();
		}
		return new Finding(balance(audit),
				OrderPerCustomer.of(this.ledger, this.identity, (order) -> this.savedMicros[order]), violations());
	}

	private void awaitQuiet(long deadline, Consumer<String> progress) throws InterruptedException {
		int accepted = this.ledger.count(Meaning.ACCEPTED);
		long last = -1;
		long quietSince = System.nanoTime();
		while (true) {
			BackendAudit audit = audit();
			long moved = audit.received();
			if (moved != last || audit.inFlight() > 0) {
				last = moved;
				quietSince = System.nanoTime();
			}
			progress.accept("%,d orders accepted, the backend has %,d".formatted(accepted, audit.saved()));
			long now = System.nanoTime();
			boolean late = now - deadline >= 0;
			if (late || now - quietSince >= this.pace.quiet().toNanos()) {
				OptionalLong left = this.unfinished.records();
				if (left.isPresent() && left.getAsLong() == 0) {
					return;
				}
				if (late) {
					throw new LabException("Orders are still under way (%s): the audit would prove nothing"
						.formatted(left.isPresent() ? "Kafka has %,d to be delivered".formatted(left.getAsLong())
								: "Kafka does not tell how many"));
				}
			}
			Thread.sleep(this.pace.poll());
		}
	}

	private BitSet pending() {
		BitSet pending = new BitSet();
		for (int order = 0; order < this.ledger.orders(); order++) {
			pending.set(order, isPending(order));
		}
		return pending;
	}

	private boolean isPending(int order) {
		return this.ledger.meaning(order) == Meaning.ACCEPTED && !isSet(this.saved, order)
				&& !isSet(this.failed, order);
	}

	private boolean isMissing(int order) {
		return this.ledger.meaning(order) != Meaning.NONE && !isSet(this.saved, order);
	}

	private static boolean isSet(BitSet set, int order) {
		synchronized (set) {
			return set.get(order);
		}
	}

	private static void set(BitSet set, int order) {
		synchronized (set) {
			set.set(order);
		}
	}

	private interface Question {

		void ask(int order) throws InterruptedException;

	}

	private void ask(IntPredicate which, Question question, Consumer<String> progress) throws InterruptedException {
		AtomicInteger next = new AtomicInteger();
		AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
		List<Thread> askers = new ArrayList<>();
		for (int i = 0; i < ASKERS; i++) {
			askers.add(Thread.ofVirtual().name("audit-" + i).start(() -> {
				try {
					for (int order = next.getAndIncrement(); order < this.ledger.orders()
							&& failure.get() == null; order = next.getAndIncrement()) {
						if (which.test(order)) {
							question.ask(order);
						}
					}
				}
				catch (InterruptedException _) {
					Thread.currentThread().interrupt();
				}
				catch (RuntimeException ex) {
					failure.compareAndSet(null, ex);
				}
			}));
		}
		try {
			for (Thread asker : askers) {
				while (!asker.join(Duration.ofSeconds(1))) {
					progress.accept("%,d of %,d orders audited".formatted(Math.min(next.get(), this.ledger.orders()),
							this.ledger.orders()));
				}
			}
		}
		finally {
			askers.forEach(Thread::interrupt);
		}
		RuntimeException ex = failure.get();
		if (ex != null) {
			throw ex;
		}
	}

	private void askBackend(int order) throws InterruptedException {
		HttpResponse<String> answer = getFromBackend("/orders/" + this.identity.id(order));
		switch (answer.statusCode()) {
			case OK -> {
				this.savedMicros[order] = ChronoUnit.MICROS.between(Instant.EPOCH, savedAt(answer.body()));
				set(this.saved, order);
			}
			case NOT_FOUND -> {
				// Not yet, or never.
			}
			default -> throw new LabException("The backend does not say whether it has %s: %d %s"
				.formatted(this.identity.id(order), answer.statusCode(), answer.body()));
		}
	}

	/** Any answer but "failed" leaves it open. */
	private void askGateway(int order) throws InterruptedException {
		HttpResponse<String> answer = get(this.gateway.resolve("/orders/" + this.identity.id(order)));
		if (answer.statusCode() == OK && status(answer.body()) == OrderStatus.FAILED) {
			set(this.failed, order);
		}
	}

	private Instant savedAt(String body) {
		try {
			return this.json.readValue(body, SavedOrder.class).savedAt();
		}
		catch (JacksonException ex) {
			throw new LabException("The backend's answer is no order: " + body, ex);
		}
	}

	private OrderStatus status(String body) {
		try {
			return this.json.readValue(body, OrderView.class).status();
		}
		catch (JacksonException ex) {
			throw new LabException("The gateway's answer is no order: " + body, ex);
		}
	}

	private BackendAudit audit() throws InterruptedException {
		HttpResponse<String> answer = getFromBackend("/audit");
		if (answer.statusCode() != OK) {
			throw new LabException(
					"The backend does not say what it has: %d %s".formatted(answer.statusCode(), answer.body()));
		}
		return this.json.readValue(answer.body(), BackendAudit.class);
	}

	/** One that keeps its orders in a database may need a moment once that is back. */
	private HttpResponse<String> getFromBackend(String path) throws InterruptedException {
		for (int tries = 1;; tries++) {
			HttpResponse<String> answer = get(this.backend.resolve(path));
			if (answer.statusCode() != UNAVAILABLE || tries == TRIES) {
				return answer;
			}
			Thread.sleep(this.pace.poll());
		}
	}

	private HttpResponse<String> get(URI uri) throws InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
		for (int tries = 1;; tries++) {
			try {
				return this.client.send(request, BodyHandlers.ofString());
			}
			catch (IOException ex) {
				if (tries == TRIES) {
					throw new LabException("%s has not answered %d times: %s".formatted(uri, TRIES, ex), ex);
				}
				Thread.sleep(this.pace.poll());
			}
		}
	}

	private Balance balance(BackendAudit audit) {
		int acceptedSaved = 0;
		int acceptedFailed = 0;
		int lost = 0;
		int refusedSaved = 0;
		int openSaved = 0;
		for (int order = 0; order < this.ledger.orders(); order++) {
			boolean isSaved = this.saved.get(order);
			switch (this.ledger.meaning(order)) {
				case ACCEPTED -> {
					acceptedSaved += isSaved ? 1 : 0;
					acceptedFailed += (!isSaved && this.failed.get(order)) ? 1 : 0;
					lost += isPending(order) ? 1 : 0;
				}
				case REFUSED -> refusedSaved += isSaved ? 1 : 0;
				case OPEN -> openSaved += isSaved ? 1 : 0;
				case NONE -> {
					// Not placed.
				}
			}
		}
		return new Balance(this.placed, this.ledger.attempts(), this.ledger.accepted(Mode.SYNC),
				this.ledger.accepted(Mode.QUEUED), acceptedSaved, acceptedFailed, lost,
				this.ledger.count(Meaning.REFUSED), refusedSaved, this.ledger.count(Meaning.OPEN), openSaved,
				audit.saved() - this.saved.cardinality(), this.ledger.misnamedOrders(), audit.duplicates(),
				audit.saved());
	}

	private List<String> violations() {
		List<String> violations = new ArrayList<>();
		for (int order = 0; order < this.ledger.orders(); order++) {
			if (isPending(order)) {
				violations.add("%s,lost,%d".formatted(this.identity.id(order), order));
			}
			else if (this.ledger.meaning(order) == Meaning.REFUSED && this.saved.get(order)) {
				violations.add("%s,refused but saved,%d".formatted(this.identity.id(order), order));
			}
		}
		return violations;
	}

	/**
	 * Writes all violations.
	 * @throws IOException if they cannot be written
	 */
	static void write(List<String> violations, Path file) throws IOException {
		try (BufferedWriter writer = Files.newBufferedWriter(file)) {
			writer.write("id,what,order\n");
			for (String violation : violations) {
				writer.write(violation);
				writer.write('\n');
			}
		}
	}

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

}
