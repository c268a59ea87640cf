package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.sluice.contract.BackendBehaviour.Special;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Breakable;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.run.ConsumerGroup;
import dev.sluice.lab.kit.run.OrderFeed;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;

/**
 * The backend takes 8 s for an order. The consumer is killed repeatedly, each time 6 s
 * after the backend got an order. A share group archives a record after five deliveries
 * without reporting it; no order may be lost that way. The backend saves no order until
 * the last kill.
 */
public final class ArchivingProof implements Proof {

	private static final String SLOW = "slow-";

	private static final long TAKES_MILLIS = 8_000;

	private static final long KILLED_AFTER_MILLIS = 6_000;

	private static final int UNAVAILABLE = 503;

	private static final long POLL_MILLIS = 100;

	/** Longer than a record lock and the start of a consumer. */
	private static final Duration DELIVERED_AGAIN = Duration.ofSeconds(90);

	private static final Duration END = Duration.ofSeconds(180);

	@Override
	public String name() {
		return "archiving";
	}

	@Override
	public String question() {
		return "Is an order lost if its consumer is killed at every delivery?";
	}

	@Override
	public Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.CONSUMER);
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int kills = testBed.size(6, 6, 2);
		int orders = testBed.size(20, 10, 3);
		testBed.startWithoutGateways();
		testBed.backend().behave(BackendBehaviour.DEFAULT.withSpecials(new Special(SLOW, TAKES_MILLIS, UNAVAILABLE)));
		DeliveryTimes times = new DeliveryTimes(orders, (order) -> new UUID(testBed.seed(), order));
		String bootstrap = testBed.stack().infrastructure().kafka().bootstrapServers();
		try (OrderFeed feed = new OrderFeed(bootstrap)) {
			for (int i = 0; i < orders; i++) {
				int order = i;
				feed.send(OrderFeed.order(new UUID(testBed.seed(), order), SLOW + order),
						(_) -> times.accepted(order, Instant.now()));
			}
			feed.flush();
		}
		long received = 0;
		Breakable consumer = testBed.stack().breakable(testBed.stack().startConsumer(ServiceOptions.NONE));
		for (int kill = 1; kill <= kills; kill++) {
			testBed.step("Kill %d of %d".formatted(kill, kills));
			awaitReceived(testBed, received);
			Thread.sleep(KILLED_AFTER_MILLIS);
			consumer.kill();
			received = testBed.backend().audit().received();
			consumer.start();
		}
		long savedMeanwhile = testBed.backend().saved();
		testBed.step("The backend saves the orders now");
		testBed.backend().behave(BackendBehaviour.DEFAULT.withSpecials(new Special(SLOW, TAKES_MILLIS, 0)));
		long undelivered;
		try (ConsumerGroup reading = testBed.deliveryGroup()) {
			undelivered = reading.awaitRead(END);
		}
		times.ask(testBed.backend());
		times.write(testBed.file("orders.csv"));
		return new Evidence(
				Map.of("orders", "%d, each takes the backend %d s".formatted(orders, TAKES_MILLIS / 1_000), "kills",
						"%d, %d s after the backend got an order".formatted(kills, KILLED_AFTER_MILLIS / 1_000)),
				List.of(Check.exactly("orders in Kafka", orders, times.accepted()),
						Check.none("orders saved before the last kill", savedMeanwhile),
						Check.none("orders not saved", times.notSaved((_) -> true)),
						Check.none("dead letters", new DeadLetterBox(bootstrap).letters().size()),
						Check.none("records whose delivery has not ended", undelivered)),
				null);
	}

	private static void awaitReceived(TestBed testBed, long before) throws InterruptedException {
		long deadline = System.nanoTime() + DELIVERED_AGAIN.toNanos();
		while (testBed.backend().audit().received() <= before) {
			if (System.nanoTime() - deadline > 0) {
				throw new LabException(
						"No order was delivered again within %d s".formatted(DELIVERED_AGAIN.toSeconds()));
			}
			Thread.sleep(POLL_MILLIS);
		}
	}

}
