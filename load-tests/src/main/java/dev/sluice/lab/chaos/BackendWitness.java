package dev.sluice.lab.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.run.BackendControl;
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
final class BackendWitness {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Duration POLL = Duration.ofMillis(500);

	/**
	 * Time without a new order at the backend after which missing orders may never
	 * arrive.
	 */
	private static final Duration QUIET = Duration.ofSeconds(3);

	private static final int TRIES = 5;

	private static final int OK = 200;

	private final BackendControl backend;

	private final URI gateway;

	private final Unfinished unfinished;

	private final Duration poll;

	private final Duration quiet;

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
	 * @param gateway asked for orders that the backend does not have
	 * @param unfinished asked once the backend is quiet
	 */
	BackendWitness(BackendControl backend, URI gateway, Unfinished unfinished) {
		this(backend, gateway, unfinished, POLL, QUIET);
	}

	BackendWitness(BackendControl backend, URI gateway, Unfinished unfinished, Duration poll, Duration quiet) {
		this.backend = backend;
		this.gateway = gateway;
		this.unfinished = unfinished;
		this.poll = poll;
		this.quiet = quiet;
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
			progress.accept("the backend has %s".formatted(audit.saved()));
			long now = System.nanoTime();
			boolean late = now - deadline >= 0;
			if (late || now - quietSince >= this.quiet.toNanos()) {
				OptionalLong left = this.unfinished.records();
				if (left.isPresent() && left.getAsLong() == 0) {
					return;
				}
				if (late) {
					throw new LabException("Orders are still under way (%s): the audit would prove nothing"
						.formatted(left.isPresent() ? "Kafka has %s to be delivered".formatted(left.getAsLong())
								: "Kafka does not report how many"));
				}
			}
			pause();
		}
	}

	/**
	 * What has become of an order; null if it is neither saved nor failed.
	 */
	@Nullable Fate fate(UUID id) throws InterruptedException {
		Optional<SavedOrder> saved = retried(() -> this.backend.find(id));
		if (saved.isPresent()) {
			return new Fate(OrderStatus.SAVED, saved.get().savedAt());
		}
		return (retried(() -> view(id)) == OrderStatus.FAILED) ? new Fate(OrderStatus.FAILED, null) : null;
	}

	/** The status that the gateway reports; null if it reports none. */
	private @Nullable OrderStatus view(UUID id) throws InterruptedException {
		URI uri = this.gateway.resolve("/orders/" + id);
		try {
			HttpResponse<String> view = this.backend.client()
				.send(HttpRequest.newBuilder(uri).timeout(Patience.of(TIMEOUT)).build(), BodyHandlers.ofString());
			return (view.statusCode() == OK) ? JsonMapper.shared().readValue(view.body(), OrderView.class).status()
					: null;
		}
		catch (IOException | JacksonException ex) {
			throw new LabException("%s does not answer with an order: %s".formatted(uri, ex), ex);
		}
	}

	/** The time between two looks at orders in progress. */
	void pause() throws InterruptedException {
		Thread.sleep(this.poll);
	}

	/** Totals over all orders. */
	BackendAudit counts() throws InterruptedException {
		return retried(this.backend::audit);
	}

	/** Asks again: a backend with a database needs a moment once the database is back. */
	private <T extends @Nullable Object> T retried(Question<T> question) throws InterruptedException {
		for (int tries = 1;; tries++) {
			try {
				return question.ask();
			}
			catch (LabException ex) {
				if (tries == TRIES) {
					throw ex;
				}
			}
			pause();
		}
	}

	/** Fails with a {@link LabException} if there is no answer. */
	@FunctionalInterface
	private interface Question<T extends @Nullable Object> {

		T ask() throws InterruptedException;

	}

}
