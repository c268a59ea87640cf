package dev.sluice.lab.proof.delivery;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.result.ProofResult.Series;
import dev.sluice.lab.kit.result.ProofResult.Timeline;
import dev.sluice.lab.kit.run.OrderFeed;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.ServiceGauge;
import dev.sluice.lab.proof.claim.TestBed;
import org.jspecify.annotations.Nullable;

/**
 * Orders are in Kafka before a consumer with a small heap starts. Its live heap, without
 * garbage, is measured while it delivers.
 */
public final class BacklogProof implements Proof {

	private static final int CUSTOMERS = 1_000;

	private static final int HEAP_MIB = 256;

	/** Maximum live heap; the collector needs the rest of the heap for garbage. */
	private static final double HELD_MIB = 128;

	private static final long SECOND_MILLIS = 1_000;

	private static final Duration STALL = Duration.ofSeconds(60);

	private static final double MIB = 1 << 20;

	@Override
	public String name() {
		return "backlog";
	}

	@Override
	public String question() {
		return "Is the consumer's memory bounded, however large the backlog?";
	}

	@Override
	public Set<Module> modules() {
		return Set.of(Module.BACKEND, Module.CONSUMER);
	}

	@Override
	public Evidence run(TestBed testBed) throws IOException, InterruptedException {
		int orders = testBed.size(1_000_000, 100_000, 10_000);
		testBed.startWithoutGateways();
		testBed.backend().behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(5)));
		testBed.step("Placing %,d orders into Kafka".formatted(orders));
		try (OrderFeed feed = new OrderFeed(testBed.stack().infrastructure().kafka().bootstrapServers())) {
			for (int i = 0; i < orders; i++) {
				feed.send(OrderFeed.order(new UUID(testBed.seed(), i), "customer-" + i % CUSTOMERS));
			}
			feed.flush();
		}
		testBed.step("Starting a consumer with a heap of %d MB".formatted(HEAP_MIB));
		Service consumer = testBed.stack()
			.startConsumer(ServiceOptions.NONE.withJvmArgs("-Xms%dm".formatted(HEAP_MIB), "-Xmx%dm".formatted(HEAP_MIB),
					"-XX:+ExitOnOutOfMemoryError"));
		List<Sample> samples = drain(testBed, consumer, orders, testBed.size(10, 3, 1));
		BackendAudit audit = testBed.awaitQuiet(Duration.ofSeconds(60));
		write(testBed, samples);
		return new Evidence(
				Map.of("orders", "%,d, delivered in %d s".formatted(orders, samples.size()), "consumer",
						"-Xmx%dm, all else as delivered".formatted(HEAP_MIB), "backend", "5 ms an order"),
				List.of(Check.exactly("orders saved", orders, audit.saved()),
						Check.none("orders delivered again", audit.duplicates()),
						Check.exactly("consumers alive at the end", 1, consumer.isAlive() ? 1
								: 0),
						Check.atMost("greatest live heap of the consumer", HELD_MIB,
								samples.stream()
									.map(Sample::heldMib)
									.filter(Objects::nonNull)
									.max(Comparator.naturalOrder())
									.orElse(null),
								"MiB"),
						Check.atLeast("readings of the live heap", testBed.size(2, 2, 1),
								(double) samples.stream().filter((sample) -> sample.heldMib() != null).count(), "")),
				new Timeline(samples.size(),
						List.of(series("Orders saved per second", samples, (sample) -> (double) sample.saved()),
								series("Consumer's heap used, MiB", samples, Sample::usedMib),
								new Series("Live in the consumer's heap, MiB", held(samples))),
						List.of()));
	}

	private static List<Sample> drain(TestBed testBed, Service consumer, int orders, int sampleSeconds)
			throws InterruptedException {
		ServiceGauge gauge = new ServiceGauge(testBed.client(), consumer);
		List<Sample> samples = new ArrayList<>();
		long saved = 0;
		long movedNanos = System.nanoTime();
		long dueNanos = System.nanoTime();
		while (saved < orders) {
			long now = testBed.backend().saved();
			if (now > saved) {
				movedNanos = System.nanoTime();
			}
			if (!consumer.isAlive() || System.nanoTime() - movedNanos > STALL.toNanos()) {
				throw new LabException("Only %,d of %,d orders were delivered; the consumer's log %s ends with:%n%s"
					.formatted(now, orders, consumer.logFile(), consumer.process().tail()));
			}
			Double held = (samples.size() % sampleSeconds == sampleSeconds - 1) ? gauge.held().heapBytes() / MIB : null;
			samples.add(new Sample(now - saved, gauge.now().heapBytes() / MIB, held));
			saved = now;
			testBed.now("%,d of %,d saved".formatted(saved, orders));
			dueNanos += Duration.ofMillis(SECOND_MILLIS).toNanos();
			Thread.sleep(Duration.ofNanos(Math.max(0, dueNanos - System.nanoTime())));
		}
		return samples;
	}

	private static Series series(String name, List<Sample> samples, Function<Sample, @Nullable Double> figure) {
		List<@Nullable Double> values = new ArrayList<>();
		samples.forEach((sample) -> values.add(figure.apply(sample)));
		return new Series(name, values);
	}

	/** Each reading holds until the next. */
	private static List<@Nullable Double> held(List<Sample> samples) {
		List<@Nullable Double> values = new ArrayList<>();
		Double last = null;
		for (Sample sample : samples) {
			last = (sample.heldMib() != null) ? sample.heldMib() : last;
			values.add(last);
		}
		return values;
	}

	private static void write(TestBed testBed, List<Sample> samples) throws IOException {
		List<String> lines = new ArrayList<>(List.of("second,saved,heap_used_mib,heap_held_mib"));
		for (int i = 0; i < samples.size(); i++) {
			Sample sample = samples.get(i);
			lines.add(String.format(Locale.ROOT, "%d,%d,%.1f,%s", i, sample.saved(), sample.usedMib(),
					(sample.heldMib() != null) ? "%.1f".formatted(sample.heldMib()) : ""));
		}
		Files.write(testBed.file("seconds.csv"), lines);
	}

	/**
	 * One second.
	 *
	 * @param saved orders saved in this second
	 * @param heldMib live heap; null if not measured
	 */
	private record Sample(long saved, double usedMib, @Nullable Double heldMib) {
	}

}
