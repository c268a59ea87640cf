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
 * Asks a gateway to deliver failed orders again, one after another. All are listed before
 * the first is sent, so that one that fails again in the meantime is not sent twice; that
 * takes some 300 bytes of memory for each. Not thread-safe.
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

	private static final int NO_ANSWER = 0;

	private static final int OK = 200;

	private static final int ACCEPTED = 202;

	private static final int CONFLICT = 409;

	private final JsonMapper json = JsonMapper.shared();

	private final HttpClient client = Http.client(Duration.ofSeconds(2));

	private final URI gateway;

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

	Redelivery(URI gateway) {
		this.gateway = gateway;
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
		Answer answer = ask(
				request("/orders?status=failed&limit=" + PAGE + ((after != null) ? "&after=" + after : "")));
		if (answer.status() != OK) {
			throw new LabException("%s cannot list the failed orders: %s".formatted(this.gateway, answer));
		}
		try {
			return this.json.readValue(answer.body(), OrderPage.class);
		}
		catch (JacksonException ex) {
			throw new LabException("%s did not answer with a list of orders: is it a gateway?".formatted(this.gateway),
					ex);
		}
	}

	private Redelivered redeliver(OrderView order) throws InterruptedException {
		Answer answer = ask(request("/orders/%s/redelivery".formatted(order.id())).POST(BodyPublishers.noBody()));
		End end = answer.isTemporary() ? End.UNAVAILABLE : (answer.status() == ACCEPTED) ? End.TAKEN : End.REFUSED;
		return new Redelivered(order.id(), order.reason(), end, (end == End.TAKEN) ? "" : answer.toString());
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(this.gateway.resolve(path)).timeout(TIMEOUT);
	}

	/** The answer to a request, or to its last try. */
	private Answer ask(HttpRequest.Builder request) throws InterruptedException {
		for (int tries = 1;; tries++) {
			Answer answer;
			try {
				HttpResponse<String> response = this.client.send(request.build(), BodyHandlers.ofString());
				answer = new Answer(response.statusCode(), response.body());
			}
			catch (IOException ex) {
				answer = new Answer(NO_ANSWER, ex.toString());
			}
			if (tries == TRIES || !answer.isTemporary()) {
				return answer;
			}
			Thread.sleep(PAUSE);
		}
	}

	private record Answer(int status, String body) {

		/** Whether another try may be answered otherwise. */
		boolean isTemporary() {
			boolean inProgress = this.status == CONFLICT
					&& this.body.contains(ProblemType.IN_PROGRESS.type().toString());
			return inProgress || (this.status / 100 != 2 && this.status / 100 != 4);
		}

		@Override
		public String toString() {
			return this.status + " " + this.body;
		}

	}

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

}
