package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.run.ConsumerGroup;
import dev.sluice.lab.kit.run.OrderFeed;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;

/**
 * For ten minutes the backend refuses all calls, or a random part of them. No order may
 * become a dead letter for that reason.
 */
public final class RefusalProof implements Proof {

	private static final double PER_SECOND = 20;

	/** Least share of the intended refusals, to allow for chance. */
	private static final double MIN_REFUSED = 0.9;

	private static final int CUSTOMERS = 97;

	private static final Duration END = Duration.ofSeconds(240);

	private final String name;

	private final String question;

	private final double refused;

	private final int status;

	private RefusalProof(String name, String question, double refused, int status) {
		this.name = name;
		this.question = question;
		this.refused = refused;
		this.status = status;
	}

	/** Nearly half of the calls get 429. */
	public static Proof throttling() {
		return new RefusalProof("throttling", "Does a backend that throttles cost an order?", 0.45, 429);
	}

	/** The backend answers 503 to all calls. */
	public static Proof backendOutage() {
		return new RefusalProof("backend-outage", "Does a long outage of the backend cost an order?", 1, 503);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String question() {
		return this.question;
	}

	@Override
	public Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.CONSUMER);
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int seconds = testBed.size(600, 30, 5);
		int orders = (int) (seconds * PER_SECOND);
		testBed.startWithoutGateways();
		testBed.stack().startConsumer(ServiceOptions.NONE);
		testBed.backend().behave(BackendBehaviour.DEFAULT.withErrors(this.refused, this.status));
		String bootstrap = testBed.stack().infrastructure().kafka().bootstrapServers();
		DeliveryTimes times = new DeliveryTimes(orders, (order) -> new UUID(testBed.seed(), order));
		testBed.step("%,d orders in %d s; the backend refuses %.0f %% of the calls".formatted(orders, seconds,
				100 * this.refused));
		try (OrderFeed feed = new OrderFeed(bootstrap)) {
			long startNanos = System.nanoTime();
			for (int i = 0; i < orders; i++) {
				int order = i;
				TimeUnit.NANOSECONDS.sleep(startNanos + Math.round(i * 1e9 / PER_SECOND) - System.nanoTime());
				feed.send(OrderFeed.order(new UUID(testBed.seed(), order), "customer-" + order % CUSTOMERS),
						(_) -> times.accepted(order, Instant.now()));
				testBed.now("%,d of %,d orders".formatted(order, orders));
			}
			feed.flush();
		}
		BackendAudit throttled = testBed.backend().audit();
		testBed.step("The backend refuses nothing any more");
		testBed.backend().behave(BackendBehaviour.DEFAULT);
		long undelivered;
		try (ConsumerGroup reading = testBed.deliveryGroup()) {
			undelivered = reading.awaitRead(END);
		}
		times.ask(testBed.backend());
		times.write(testBed.file("orders.csv"));
		int letters = new DeadLetterBox(bootstrap).letters().size();
		return new Evidence(
				Map.of("load", "%.0f orders per second for %d s".formatted(PER_SECOND, seconds), "backend",
						"50 ms an order; answers %.0f %% of the calls with %d, drawn again for each"
							.formatted(100 * this.refused, this.status),
						"saved while it refused", "%,d of %,d".formatted(throttled.saved(), orders)),
				List.of(Check.exactly("orders in Kafka", orders, times.accepted()),
						Check.atLeast("calls refused, of all while it refused", MIN_REFUSED * this.refused,
								(double) throttled.failed() / Math.max(1, throttled.received()), ""),
						Check.none("dead letters", letters),
						Check.none("orders not saved", times.notSaved((_) -> true)),
						Check.none("orders whose delivery has not ended", undelivered)),
				null);
	}

}
