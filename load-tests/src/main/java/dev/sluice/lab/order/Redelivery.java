package dev.sluice.lab.order;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks a gateway to deliver failed orders again, one after another, at a bounded rate.
 * All are listed before the first is sent, so that one that fails again in the meantime
 * is not sent twice; that takes some 300 bytes of memory for each. Not thread-safe.
 */
final class Redelivery implements AutoCloseable {

	/** Tries for an order that the gateway cannot accept at the moment. */
	private static final int TRIES = 3;

	/** After this many in a row the gateway counts as down, and redelivery ends. */
	private static final int UNAVAILABLE_IN_A_ROW = 10;

	private static final int PAGE = 500;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/** Pause before a retry. */
	private static final Duration PAUSE = Duration.ofMillis(400);

	private static final int OK = 200;

	private static final int ACCEPTED = 202;

	private static final int CONFLICT = 409;

	private final JsonMapper json = JsonMapper.shared();

	private final HttpClient client = Http.client(Duration.ofSeconds(2));

	private final URI gateway;

	private final long periodNanos;

	/**
	 * A selection of failed orders.
	 *
	 * @param reason part of the reason why they failed, case-insensitive; null for any
	 * @param since time from which on they failed; null for any
	 */
	record Choice(@Nullable String reason, @Nullable Instant since) {

		boolean takes(OrderView order) {
			String why = (order.reason() != null) ? order.reason() : "";
			Instant failedAt = order.updatedAt();
			return (this.reason == null || why.toLowerCase(Locale.ROOT).contains(this.reason.toLowerCase(Locale.ROOT)))
					&& (this.since == null || failedAt == null || !failedAt.isBefore(this.since));
		}

	}

	/** The outcome for an order. */
	enum End {

		/** It is queued again. */
		TAKEN,

		/** There is nothing to send again, or it is no longer failed. */
		REFUSED,

		/** The gateway could not accept it in any try. */
		UNAVAILABLE

	}

	/**
	 * An order and its outcome.
	 *
	 * @param why why it failed
	 * @param answer the gateway's answer; empty if it accepted the order
	 */
	record Redelivered(UUID id, @Nullable String why, End end, String answer) {
	}

	/**
	 * @param ratePerSecond maximum number of orders per second
	 */
	Redelivery(URI gateway, double ratePerSecond) {
		this.gateway = gateway;
		this.periodNanos = Math.round(TimeUnit.SECONDS.toNanos(1) / ratePerSecond);
	}

	/**
	 * Sends the failed orders again, the earliest first.
	 * @param dryRun lists them and changes nothing: each that would be sent counts as
	 * taken
	 * @param each receives every chosen order
	 * @return the number of orders by outcome; none of an outcome that no order had
	 * @throws LabException if the gateway does not list the failed orders, or accepts no
	 * more
	 */
	Map<End, Integer> run(Choice choice, boolean dryRun, Consumer<Redelivered> each) throws InterruptedException {
		Map<End, Integer> tally = new EnumMap<>(End.class);
		int inARow = 0;
		for (OrderView order : failed(choice)) {
			Redelivered done = dryRun ? new Redelivered(order.id(), order.reason(), End.TAKEN, "") : redeliver(order);
			tally.merge(done.end(), 1, Integer::sum);
			each.accept(done);
			inARow = (done.end() == End.UNAVAILABLE) ? inARow + 1 : 0;
			if (inARow == UNAVAILABLE_IN_A_ROW) {
				throw new LabException("%s accepts no more: %s. It accepted %s before; run it again later"
					.formatted(this.gateway, done.answer(), tally.getOrDefault(End.TAKEN, 0)));
			}
		}
		return tally;
	}

	/**
	 * All chosen orders, before the first is sent again: one that fails again would be
	 * listed after the others.
	 */
	private List<OrderView> failed(Choice choice) throws InterruptedException {
		List<OrderView> chosen = new ArrayList<>();
		String next = null;
		do {
			OrderPage page = page(next);
			page.orders().stream().filter(choice::takes).forEach(chosen::add);
			next = page.next();
		}
		while (next != null);
		return chosen;
	}

	private OrderPage page(@Nullable String after) throws InterruptedException {
		URI uri = this.gateway
			.resolve("/orders?status=failed&limit=" + PAGE + ((after != null) ? "&after=" + after : ""));
		HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
		for (int tries = 1;; tries++) {
			String answer;
			try {
				HttpResponse<String> response = this.client.send(request, BodyHandlers.ofString());
				if (response.statusCode() == OK) {
					return this.json.readValue(response.body(), OrderPage.class);
				}
				answer = describe(response);
			}
			catch (JacksonException ex) {
				throw new LabException("%s did not answer with a list of orders: is it a gateway?".formatted(uri), ex);
			}
			catch (IOException ex) {
				answer = ex.toString();
			}
			if (tries == TRIES) {
				throw new LabException("%s cannot list the failed orders: %s".formatted(this.gateway, answer));
			}
			Thread.sleep(PAUSE);
		}
	}

	private Redelivered redeliver(OrderView order) throws InterruptedException {
		long due = System.nanoTime() + this.periodNanos;
		HttpRequest request = HttpRequest
			.newBuilder(this.gateway.resolve("/orders/%s/redelivery".formatted(order.id())))
			.timeout(TIMEOUT)
			.POST(BodyPublishers.noBody())
			.build();
		End end = End.UNAVAILABLE;
		String answer = "";
		for (int tries = 1; tries <= TRIES && end == End.UNAVAILABLE; tries++) {
			if (tries > 1) {
				Thread.sleep(PAUSE);
			}
			try {
				HttpResponse<String> response = this.client.send(request, BodyHandlers.ofString());
				end = end(response);
				answer = (end == End.TAKEN) ? "" : describe(response);
			}
			catch (IOException ex) {
				answer = ex.toString();
			}
		}
		TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
		return new Redelivered(order.id(), order.reason(), end, answer);
	}

	private static End end(HttpResponse<String> response) {
		int status = response.statusCode();
		if (status == ACCEPTED) {
			return End.TAKEN;
		}
		boolean inProgress = status == CONFLICT && response.body().contains(ProblemType.IN_PROGRESS.type().toString());
		return (status / 100 == 4 && !inProgress) ? End.REFUSED : End.UNAVAILABLE;
	}

	private static String describe(HttpResponse<String> response) {
		return response.statusCode() + " " + response.body();
	}

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

}
