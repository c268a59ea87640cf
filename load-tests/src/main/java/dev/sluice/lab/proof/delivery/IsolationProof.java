package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendBehaviour.Special;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.Topics;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.plan.SampleOrder;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.run.OrderFeed;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.statistics.Latencies;
import dev.sluice.lab.kit.statistics.Percentile;
import dev.sluice.lab.kit.client.Redelivery;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;
import org.apache.kafka.clients.producer.ProducerRecord;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends the same load twice: unchanged, and with poison (unreadable records, and orders
 * that the backend refuses) and slow orders in it. Then the backend accepts the orders
 * that it refused, and failed orders are delivered again.
 */
public final class IsolationProof implements Proof {

	private static final double PER_SECOND = 2_000 / 60.0;

	/** One of this many orders is poison and another one is slow. */
	private static final int EVERY = 100;

	private static final int SLOW_MILLIS = 10_000;

	private static final String SLOW = "slow-";

	private static final String REFUSED = "refused-";

	private static final int REFUSAL = 422;

	private static final int ACCEPTED = 202;

	private static final double TIMES = 2;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Time for orders under way to arrive. */
	private static final Duration ARRIVAL = Duration.ofSeconds(120);

	private static final long POLL_MILLIS = 500;

	private static final double REDELIVERIES_PER_SECOND = 100;

	@Override
	public String name() {
		return "isolation";
	}

	@Override
	public String question() {
		return "Do poison and slow orders hold up the others, and does each of them end?";
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int orders = testBed.size(2_000, 400, 200);
		// Longer than slow orders take, as one would set it for such a backend.
		testBed.startAll(ServiceOptions.NONE.withProperty("backend.response-timeout", "15s"));
		String bootstrap = testBed.stack().infrastructure().kafka().bootstrapServers();
		try (OrderFeed feed = new OrderFeed(bootstrap)) {
			testBed.step("Warming up");
			new Round(testBed, feed, orders / 4, false).run();
			testBed.step("%,d orders, 2,000 a minute".formatted(orders));
			Round calm = new Round(testBed, feed, orders, false);
			calm.run();
			testBed.backend()
				.behave(BackendBehaviour.DEFAULT.withSpecials(new Special(SLOW, SLOW_MILLIS, 0),
						new Special(REFUSED, 0, REFUSAL)));
			testBed.step("The same with one in %d poison and one in %d slow".formatted(EVERY, EVERY));
			Round disturbed = new Round(testBed, feed, orders, true);
			disturbed.run();
			calm.times.write(testBed.file("calm.csv"));
			disturbed.times.write(testBed.file("disturbed.csv"));
			List<DeadLetterBox.Letter> letters = new DeadLetterBox(bootstrap).letters();
			long unreadable = count(orders, disturbed::isUnreadable);
			long refused = count(orders, disturbed::isRefused);
			long unreadableInDeadLetters = disturbed.inDeadLetters(letters, disturbed::isUnreadable);
			long refusedInDeadLetters = disturbed.inDeadLetters(letters, disturbed::isRefused);
			testBed.step("The backend takes what it refused; redelivering what failed");
			testBed.backend().behave(BackendBehaviour.DEFAULT);
			Redelivery.Tally tally;
			try (Redelivery redelivery = new Redelivery(testBed.gateways().getFirst().uri(), REDELIVERIES_PER_SECOND)) {
				awaitFailed(redelivery, unreadable + refused);
				tally = redelivery.run(new Redelivery.Choice(null, null), (_) -> {
				});
			}
			testBed.awaitQuiet(ARRIVAL);
			disturbed.times.ask(testBed.backend());
			int percent = Percentile.highest(Math.min(calm.others(), disturbed.others()));
			return new Evidence(Map.of("load",
					"%,d orders without and %,d with, 2,000 a minute, queued, in turn to %s".formatted(orders, orders,
							TestBed.GATEWAYS),
					"slow",
					"%d ms, one in %d; the consumer's backend.response-timeout is 15 s".formatted(SLOW_MILLIS, EVERY),
					"poison",
					"one in %d: every other cannot be read, every other is refused with %d".formatted(EVERY, REFUSAL),
					"from sent to saved without", calm.describeWaits(), "from sent to saved of the others with",
					disturbed.describeWaits()),
					List.of(Check.atMost(
							"p%d of the others from sent to saved, by that of the calm run".formatted(percent), TIMES,
							disturbed.wait(percent) / calm.wait(percent), "times"),
							Check.none("orders of the calm run not saved", calm.times.notSaved((_) -> true)),
							Check.exactly("orders accepted, calm", orders, calm.times.accepted()),
							Check.exactly("orders accepted, disturbed", orders - unreadable,
									disturbed.times.accepted()),
							Check.none("others not saved", disturbed.times.notSaved(disturbed::isOther)),
							Check.none("slow orders not saved", disturbed.times.notSaved(disturbed::isSlow)),
							Check.exactly("unreadable records in the dead letters", unreadable,
									unreadableInDeadLetters),
							Check.exactly("refused orders in the dead letters", refused, refusedInDeadLetters),
							Check.exactly("dead letters in all", unreadable + refused, letters.size()),
							Check.exactly("failed orders that lab redeliver queued again", refused, tally.taken()),
							Check.exactly("failed orders of which nothing can be sent again", unreadable,
									tally.refused()),
							Check.none("redelivered orders not saved", disturbed.times.notSaved(disturbed::isRefused))),
					null);
		}
	}

	/** Waits for the projection, which lags a little. */
	private static void awaitFailed(Redelivery redelivery, long count) throws InterruptedException {
		long deadline = System.nanoTime() + ARRIVAL.toNanos();
		while (redelivery.list(new Redelivery.Choice(null, null), (_) -> {
		}).taken() < count) {
			if (System.nanoTime() - deadline > 0) {
				throw new LabException("The gateway does not list %,d failed orders".formatted(count));
			}
			Thread.sleep(POLL_MILLIS);
		}
	}

	private static long count(int orders, IntPredicate which) {
		return IntStream.range(0, orders).filter(which).count();
	}

	/** One load and its results. */
	private static final class Round {

		private final AtomicInteger open = new AtomicInteger();

		private final TestBed testBed;

		private final OrderFeed feed;

		private final int orders;

		private final boolean disturbed;

		private final AtomicReferenceArray<UUID> ids;

		private final DeliveryTimes times;

		Round(TestBed testBed, OrderFeed feed, int orders, boolean disturbed) {
			this.testBed = testBed;
			this.feed = feed;
			this.orders = orders;
			this.disturbed = disturbed;
			this.ids = new AtomicReferenceArray<>(orders);
			this.times = new DeliveryTimes(orders, (order) -> Objects.requireNonNull(this.ids.get(order)));
		}

		boolean isSlow(int order) {
			return this.disturbed && order % EVERY == EVERY / 2;
		}

		private boolean isPoison(int order) {
			return this.disturbed && order % EVERY == 0;
		}

		boolean isUnreadable(int order) {
			return isPoison(order) && order / EVERY % 2 == 0;
		}

		boolean isRefused(int order) {
			return isPoison(order) && !isUnreadable(order);
		}

		boolean isOther(int order) {
			return !isPoison(order) && !isSlow(order);
		}

		void run() throws InterruptedException {
			long startNanos = System.nanoTime();
			try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
				for (int i = 0; i < this.orders; i++) {
					int order = i;
					TimeUnit.NANOSECONDS.sleep(startNanos + Math.round(i * 1e9 / PER_SECOND) - System.nanoTime());
					this.testBed.now("%,d of %,d orders, %d open".formatted(i, this.orders, this.open.get()));
					if (isUnreadable(order)) {
						this.ids.set(order, UUID.randomUUID());
						this.feed.send(unreadable(order));
					}
					else {
						clients.execute(() -> place(order));
					}
				}
			}
			this.feed.flush();
			this.testBed.awaitQuiet(ARRIVAL);
			this.times.ask(this.testBed.backend());
		}

		private void place(int order) {
			this.open.incrementAndGet();
			Service gateway = this.testBed.gateways().get(order % 2);
			Instant sentAt = Instant.now();
			try {
				HttpResponse<Void> answer = this.testBed.client()
					.send(request(order, gateway), BodyHandlers.discarding());
				String location = answer.headers().firstValue("Location").orElse("");
				if (answer.statusCode() == ACCEPTED) {
					this.ids.set(order, UUID.fromString(location.substring(location.lastIndexOf('/') + 1)));
					this.times.accepted(order, sentAt);
				}
			}
			catch (IOException _) {
				// Not accepted; counted as such.
			}
			catch (InterruptedException _) {
				Thread.currentThread().interrupt();
			}
			finally {
				this.open.decrementAndGet();
			}
		}

		private HttpRequest request(int order, Service gateway) {
			String customer = (isSlow(order) ? SLOW : isRefused(order) ? REFUSED : "customer-") + order % 97;
			Order body = SampleOrder.of(customer);
			return HttpRequest.newBuilder(gateway.uri().resolve("/orders"))
				.timeout(TIMEOUT)
				.header("Content-Type", "application/json")
				.header(HttpNames.PREFER, HttpNames.RESPOND_ASYNC)
				.POST(BodyPublishers.ofByteArray(JsonMapper.shared().writeValueAsBytes(body)))
				.build();
		}

		private ProducerRecord<byte[], byte[]> unreadable(int order) {
			ProducerRecord<byte[], byte[]> good = OrderFeed.order(Objects.requireNonNull(this.ids.get(order)),
					"customer-" + order % 97);
			return new ProducerRecord<>(Topics.ORDERS, null, good.key(),
					"{\"customerId\":".getBytes(StandardCharsets.UTF_8), good.headers());
		}

		long inDeadLetters(List<DeadLetterBox.Letter> letters, IntPredicate which) {
			Set<String> inDeadLetters = Set
				.copyOf(letters.stream().map(DeadLetterBox.Letter::id).filter(Objects::nonNull).toList());
			return IntStream.range(0, this.orders)
				.filter(which)
				.filter((order) -> this.ids.get(order) != null)
				.filter((order) -> inDeadLetters.contains(this.ids.get(order).toString()))
				.count();
		}

		int others() {
			return this.times.waitsMillis(this::isOther).length;
		}

		double wait(int percent) {
			Long wait = Latencies.percentile(this.times.waitsMillis(this::isOther), percent);
			return (wait != null) ? Math.max(1, wait) : Double.POSITIVE_INFINITY;
		}

		String describeWaits() {
			long[] waits = this.times.waitsMillis(this::isOther);
			return (waits.length == 0) ? "none"
					: "p50 %s, p99 %s, max %s ms".formatted(Figures.count(Latencies.percentile(waits, 50)),
							Figures.count(Latencies.percentile(waits, 99)), Figures.count(waits[waits.length - 1]));
		}

	}

}
