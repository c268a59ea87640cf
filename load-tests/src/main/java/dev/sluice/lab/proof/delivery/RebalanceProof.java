package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.BackendAudit;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.result.ProofResult.Series;
import dev.sluice.lab.kit.result.ProofResult.Span;
import dev.sluice.lab.kit.result.ProofResult.Timeline;
import dev.sluice.lab.kit.run.ConsumerGroup;
import dev.sluice.lab.kit.run.OrderFeed;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;

/**
 * Two to four consumers share the partitions. While orders arrive at a steady rate,
 * consumers join, leave (SIGTERM) or are killed one after another, drawn from the seed.
 * The backend's timestamps give the wait of every order.
 */
public final class RebalanceProof implements Proof {

	public static final String NAME = "rebalance";

	private static final double PER_SECOND = 100;

	private static final int MIN_CONSUMERS = 2;

	private static final int MAX_CONSUMERS = 4;

	private static final Duration REBALANCE = Duration.ofSeconds(60);

	/** Pause between two changes, for repeats to arrive. */
	private static final long REST_MILLIS = 1_500;

	private static final long SESSION_MILLIS = 3_000;

	private static final double STALL_MILLIS = 5_000;

	private static final double REDELIVERED_PER_CENT = 0.1;

	private static final int WARM_UP_ORDERS = 5_000;

	/** Far more than are placed during all changes. */
	private static final int MAX_ORDERS = 300_000;

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String question() {
		return "Are orders still delivered, each once, while consumers join, leave and are killed?";
	}

	@Override
	public Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.CONSUMER);
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int changes = testBed.size(50, 6, 3);
		testBed.startWithoutGateways();
		String bootstrap = testBed.stack().infrastructure().kafka().bootstrapServers();
		OrderIdentity identity = new OrderIdentity("rebalance-" + testBed.seed());
		DeliveryTimes times = new DeliveryTimes(MAX_ORDERS, identity::id);
		List<Done> done = new ArrayList<>();
		Instant start;
		try (OrderFeed feed = new OrderFeed(bootstrap);
				ConsumerGroup group = new ConsumerGroup(bootstrap, ConsumerGroup.DELIVERY)) {
			Members members = new Members(testBed);
			Stack.inParallel(List.of(members::join, members::join));
			group.awaitStable(MIN_CONSUMERS, REBALANCE);
			warmUp(testBed, feed);
			testBed.step("%.0f orders per second, %d changes of the group".formatted(PER_SECOND, changes));
			start = Instant.now();
			try (OrderStream load = new OrderStream(feed, identity, times)) {
				Thread.sleep(REST_MILLIS);
				Random random = new Random(testBed.seed());
				for (int number = 1; number <= changes; number++) {
					done.add(change(testBed, group, members, draw(members, random), number, start));
				}
				load.stop();
			}
			feed.flush();
		}
		testBed.step("Asking the backend for every order");
		BackendAudit audit = testBed.awaitQuiet(Duration.ofSeconds(60));
		times.ask(testBed.backend());
		times.write(testBed.file("orders.csv"));
		write(testBed, done);
		return evidence(times, audit, done, start);
	}

	/** Warms up: a JVM that has just started delays orders more than any rebalance. */
	private static void warmUp(TestBed testBed, OrderFeed feed) throws InterruptedException {
		testBed.step("Warming up");
		for (int i = 0; i < WARM_UP_ORDERS; i++) {
			feed.send(OrderFeed.order(UUID.randomUUID(), "customer-" + i));
		}
		feed.flush();
		testBed.awaitQuiet(Duration.ofSeconds(60));
		testBed.backend().forget();
	}

	private static Evidence evidence(DeliveryTimes times, BackendAudit audit, List<Done> done, Instant start) {
		Map<Change, Long> repeats = new EnumMap<>(Change.class);
		Map<Change, Long> counts = new EnumMap<>(Change.class);
		for (Change change : Change.values()) {
			repeats.put(change, done.stream().filter((d) -> d.change() == change).mapToLong(Done::repeats).sum());
			counts.put(change, done.stream().filter((d) -> d.change() == change).count());
		}
		long[] waits = times.waitsMillis((_) -> true);
		int orders = times.accepted();
		double share = 100.0 * audit.duplicates() / Math.max(1, audit.duplicates() + audit.saved());
		int seconds = (int) Math.ceil(done.getLast().end()) + 5;
		return new Evidence(
				Map.of("load",
						"%.0f orders per second, %,d in all, straight into Kafka; backend 50 ms".formatted(PER_SECOND,
								orders),
						"changes", Evidence.describe(counts), "repeated deliveries after each kind of change",
						Evidence.describe(repeats), "consumers",
						"%d to %d, session timeout %d ms, all else as delivered".formatted(MIN_CONSUMERS, MAX_CONSUMERS,
								SESSION_MILLIS)),
				List.of(Check.none("orders not saved", times.notSaved((_) -> true)),
						Check.exactly("orders at the backend", orders, audit.saved()),
						Check.atMost("longest time without a saved order", STALL_MILLIS, times.longestGapMillis(),
								"ms"),
						Check.atMost("longest wait of any order for being saved", STALL_MILLIS,
								(waits.length > 0) ? (double) waits[waits.length - 1] : null, "ms"),
						Check.none("orders delivered again after a consumer joined or left",
								repeats.getOrDefault(Change.JOIN, 0L) + repeats.getOrDefault(Change.LEAVE, 0L)),
						Check.atMost("orders delivered again, all of them after kills", REDELIVERED_PER_CENT, share,
								"% of all deliveries")),
				new Timeline(seconds,
						List.of(Series.of("Orders saved per second", times.savedPerSecond(start, seconds))),
						done.stream()
							.map((d) -> new Span(d.change().toString(), d.change().toString(), d.begin(), d.end()))
							.toList()));
	}

	private static Change draw(Members members, Random random) {
		if (members.count() <= MIN_CONSUMERS) {
			return Change.JOIN;
		}
		if (members.count() >= MAX_CONSUMERS) {
			return random.nextBoolean() ? Change.LEAVE : Change.KILL;
		}
		return Change.values()[random.nextInt(Change.values().length)];
	}

	private static Done change(TestBed testBed, ConsumerGroup group, Members members, Change change, int number,
			Instant start) throws InterruptedException {
		testBed.step("Change %d: a consumer %s (of %d)".formatted(number, change, members.count()));
		long before = testBed.backend().audit().duplicates();
		double begin = secondsSince(start);
		switch (change) {
			case JOIN -> members.join();
			case LEAVE -> members.leave();
			case KILL -> members.kill();
		}
		group.awaitStable(members.count(), REBALANCE);
		double end = secondsSince(start);
		Thread.sleep(REST_MILLIS);
		return new Done(change, begin, end, testBed.backend().audit().duplicates() - before);
	}

	private static double secondsSince(Instant start) {
		return Duration.between(start, Instant.now()).toMillis() / 1_000.0;
	}

	private static void write(TestBed testBed, List<Done> done) throws IOException {
		List<String> lines = new ArrayList<>(List.of("change,begin_s,end_s,repeats"));
		done.forEach((d) -> lines
			.add(String.format(Locale.ROOT, "%s,%.3f,%.3f,%d", d.change(), d.begin(), d.end(), d.repeats())));
		Files.write(testBed.file("changes.csv"), lines);
	}

	private enum Change {

		JOIN, LEAVE, KILL;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * A change that is over.
	 *
	 * @param begin when it began, in seconds since the load began
	 * @param end when the group was stable again, in seconds since the load began
	 * @param repeats deliveries of orders that the backend already had
	 */
	private record Done(Change change, double begin, double end, long repeats) {
	}

	/** The running consumers, the oldest first; it is the first to go. */
	private static final class Members {

		private final Deque<Service> running = new ArrayDeque<>();

		private final TestBed testBed;

		private int started;

		Members(TestBed testBed) {
			this.testBed = testBed;
		}

		synchronized int count() {
			return this.running.size();
		}

		Service join() {
			int number;
			synchronized (this) {
				number = ++this.started;
			}
			Service consumer = this.testBed.stack()
				.startConsumer(number, ServiceOptions.NONE
					.withProperty("spring.kafka.consumer.properties.session.timeout.ms", SESSION_MILLIS)
					.withProperty("spring.kafka.consumer.properties.heartbeat.interval.ms", SESSION_MILLIS / 4));
			synchronized (this) {
				this.running.add(consumer);
			}
			return consumer;
		}

		synchronized void leave() {
			this.running.remove().close();
		}

		synchronized void kill() {
			this.running.remove().process().kill();
		}

	}

	/** Places orders by the clock in a thread of its own. */
	private static final class OrderStream implements AutoCloseable {

		private final Thread thread;

		private volatile boolean stopped;

		OrderStream(OrderFeed feed, OrderIdentity identity, DeliveryTimes times) {
			long startNanos = System.nanoTime();
			this.thread = Thread.ofVirtual().name("load").start(() -> {
				try {
					for (int i = 0; i < MAX_ORDERS && !this.stopped; i++) {
						TimeUnit.NANOSECONDS.sleep(startNanos + Math.round(i * 1e9 / PER_SECOND) - System.nanoTime());
						int order = i;
						feed.send(OrderFeed.order(identity.id(order), identity.customer(order)),
								(_) -> times.accepted(order, Instant.now()));
					}
				}
				catch (InterruptedException _) {
					// Closed.
				}
			});
		}

		void stop() throws InterruptedException {
			this.stopped = true;
			this.thread.join();
		}

		@Override
		public void close() {
			this.stopped = true;
			this.thread.interrupt();
		}

	}

}
