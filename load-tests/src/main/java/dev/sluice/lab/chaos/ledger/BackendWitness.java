package dev.sluice.lab.chaos.ledger;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The backend of the lab's own stack, which has each order that is saved; a gateway
 * reports which of the others failed. It is quiet when no more orders arrive and Kafka
 * has none to deliver. Until then even a refused order may still be saved.
 * <p>
 * Thread-safe. Each question has a deadline. Without an answer it throws a
 * {@link LabException}, as the audit would prove nothing.
 */
public final class BackendWitness implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final int TRIES = 5;

	private static final int OK = 200;

	private static final int NOT_FOUND = 404;

	private static final int UNAVAILABLE = 503;

	private final JsonMapper json = JsonMapper.shared();

	private final HttpClient client = Http.client(TIMEOUT);

	private final URI backend;

	private final URI gateway;

	private final Unfinished unfinished;

	private final Pace pace;

	/**
	 * What has become of an order.
	 *
	 * @param savedAt when it was saved, by the backend's clock; null if it has failed
	 */
	record Fate(OrderStatus status, @Nullable Instant savedAt) {
	}

	/** Counts the records that Kafka still has to deliver. */
	@FunctionalInterface
	public interface Unfinished {

		/** Number of records; empty if unknown at the moment. */
		OptionalLong records() throws InterruptedException;

	}

	/**
	 * How the witness waits.
	 *
	 * @param poll time between two checks
	 * @param quiet time without a new order at the backend after which missing orders may
	 * never arrive
	 */
	public record Pace(Duration poll, Duration quiet) {

		public static final Pace DEFAULT = new Pace(Duration.ofMillis(500), Duration.ofSeconds(3));

	}

	/**
	 * @param gateway asked for orders that the backend does not have
	 * @param unfinished asked once the backend is quiet
	 */
	public BackendWitness(URI backend, URI gateway, Unfinished unfinished, Pace pace) {
		this.backend = backend;
		this.gateway = gateway;
		this.unfinished = unfinished;
		this.pace = pace;
	}

	/**
	 * Returns when no more orders are being saved.
	 * @param deadline of {@link System#nanoTime}
	 * @param progress gets a line of text about the progress
	 */
	void awaitQuiet(long deadline, Consumer<String> progress) throws InterruptedException {
		long last = -1;
		long quietSince = System.nanoTime();
		while (true) {
			BackendAudit audit = counts();
			long moved = audit.received();
			if (moved != last || audit.inFlight() > 0) {
				last = moved;
				quietSince = System.nanoTime();
			}
			progress.accept("the backend has %,d".formatted(audit.saved()));
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
								: "Kafka does not report how many"));
				}
			}
			Thread.sleep(this.pace.poll());
		}
	}

	/**
	 * What has become of an order; null if it is neither saved nor failed.
	 */
	@Nullable Fate fate(UUID id) throws InterruptedException {
		HttpResponse<String> answer = getFromBackend("/orders/" + id);
		return switch (answer.statusCode()) {
			case OK -> new Fate(OrderStatus.SAVED, read(answer, SavedOrder.class).savedAt());
			case NOT_FOUND -> {
				HttpResponse<String> view = get(this.gateway.resolve("/orders/" + id));
				yield (view.statusCode() == OK && read(view, OrderView.class).status() == OrderStatus.FAILED)
						? new Fate(OrderStatus.FAILED, null) : null;
			}
			default -> throw new LabException("The backend does not report whether it has %s: %d %s".formatted(id,
					answer.statusCode(), answer.body()));
		};
	}

	private <T> T read(HttpResponse<String> answer, Class<T> type) {
		try {
			return this.json.readValue(answer.body(), type);
		}
		catch (JacksonException ex) {
			throw new LabException("The answer of %s is not an order: %s".formatted(answer.uri(), answer.body()), ex);
		}
	}

	/** Totals over all orders. */
	BackendAudit counts() throws InterruptedException {
		HttpResponse<String> answer = getFromBackend("/audit");
		if (answer.statusCode() != OK) {
			throw new LabException(
					"The backend does not report its orders: %d %s".formatted(answer.statusCode(), answer.body()));
		}
		return this.json.readValue(answer.body(), BackendAudit.class);
	}

	/** Retries: a backend with a database needs a moment once the database is back. */
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
		HttpRequest request = HttpRequest.newBuilder(uri).timeout(Patience.of(TIMEOUT)).build();
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

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

}
