package dev.sluice.lab.chaos.ledger;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.chaos.ledger.Gateways.Gateway;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The gateways of a system that others started. They report how far each order has come,
 * but nothing about all orders together. They are asked in turn, at a limited rate.
 */
public final class GatewayWitness implements OrderWitness {

	/** What gateways cannot report, in a few words each. */
	public static final List<String> UNSEEN = List.of("orders saved twice", "orders in the backend that nobody placed",
			"the order in which a customer's orders were saved",
			"refused orders that were saved after they were looked up");

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Look-ups of an order, at one gateway after the other, until one answers. */
	private static final int TRIES = 5;

	private static final int OK = 200;

	private static final int NOT_FOUND = 404;

	private final JsonMapper json = JsonMapper.shared();

	private final HttpClient client;

	private final Gateways gateways;

	private final Duration pause;

	private final long intervalNanos;

	private long nextNanos = System.nanoTime();

	/**
	 * @param perSecond maximum number of look-ups per second
	 * @param pause time after a look-up that was not answered
	 */
	public GatewayWitness(Gateways gateways, double perSecond, Duration pause) {
		this.gateways = gateways;
		this.client = gateways.client(TIMEOUT);
		this.pause = pause;
		this.intervalNanos = Math.round(1e9 / perSecond);
	}

	/**
	 * Checks that each gateway answers look-ups.
	 * @param unknownId an id that no order has
	 * @throws LabException if a gateway does not answer that the order is unknown
	 */
	public void check(UUID unknownId) throws InterruptedException {
		for (Gateway gateway : this.gateways.all()) {
			check(gateway, unknownId);
		}
	}

	/** Retries: a gateway that has just started may need a moment. */
	private void check(Gateway gateway, UUID unknownId) throws InterruptedException {
		for (int tries = 1;; tries++) {
			String failure;
			try {
				HttpResponse<String> answer = ask(gateway, unknownId);
				if (answer.statusCode() == NOT_FOUND) {
					return;
				}
				failure = answer.statusCode() + " " + answer.body();
			}
			catch (IOException ex) {
				failure = ex.toString();
			}
			if (tries == TRIES) {
				throw new LabException("Orders cannot be looked up at the gateway %s (%s), so nothing was done: %s"
					.formatted(gateway.name(), gateway.uri(), failure));
			}
			Thread.sleep(this.pause);
		}
	}

	/**
	 * Does not wait, as no gateway knows: the audit itself waits for the accepted orders.
	 */
	@Override
	public void awaitQuiet(long deadlineNanos, Consumer<String> progress) {
	}

	@Override
	public @Nullable Fate fate(UUID id) throws InterruptedException {
		for (int tries = 1;; tries++) {
			Gateway gateway = this.gateways.inTurn(id.hashCode() + tries);
			String failure;
			try {
				HttpResponse<String> answer = ask(gateway, id);
				switch (answer.statusCode()) {
					case OK -> {
						return new Fate(this.json.readValue(answer.body(), OrderView.class).status(), null);
					}
					case NOT_FOUND -> {
						return null;
					}
					default -> failure = answer.statusCode() + " " + answer.body();
				}
			}
			catch (IOException | JacksonException ex) {
				failure = ex.toString();
			}
			if (tries == TRIES) {
				throw new LabException("The gateways do not say what became of %s, at last %s: %s".formatted(id,
						gateway.uri(), failure));
			}
			Thread.sleep(this.pause);
		}
	}

	private HttpResponse<String> ask(Gateway gateway, UUID id) throws IOException, InterruptedException {
		TimeUnit.NANOSECONDS.sleep(turn() - System.nanoTime());
		return this.client.send(this.gateways.request(gateway, "/orders/" + id).timeout(TIMEOUT).build(),
				BodyHandlers.ofString());
	}

	/** Reserves the time of the next look-up. */
	private synchronized long turn() {
		long now = System.nanoTime();
		long turn = (this.nextNanos - now > 0) ? this.nextNanos : now;
		this.nextNanos = turn + this.intervalNanos;
		return turn;
	}

	@Override
	public @Nullable BackendAudit counts() {
		return null;
	}

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

}
