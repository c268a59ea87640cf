package dev.sluice.lab.drain;

import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.OrderFeed;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import org.jspecify.annotations.Nullable;

/**
 * How near the consumer comes to what its limit allows: a backlog lies in Kafka, one
 * consumer delivers it to a backend that takes a fixed time, and the rate in the middle
 * of it is held against limit / time. No gateway and no load generator take part.
 */
final class DrainExperiment {

	static final String NAME = "drain";

	private static final int CUSTOMERS = 1_000;

	private static final Duration POLL = Duration.ofMillis(50);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/** The rate is taken while this share of the backlog is delivered. */
	private static final double FROM = 0.3;

	private static final double TO = 0.9;

	private final Settings settings;

	private final RunDirectory directory;

	private final Progress progress;

	/**
	 * What is chosen.
	 *
	 * @param orders in the backlog
	 * @param deliveryConcurrency orders delivered at once
	 * @param delayMillis that the backend takes for an order
	 * @param infrastructure what Kafka and PostgreSQL run as
	 * @param deadlineMillis of the delivery, in milliseconds
	 */
	record Settings(int orders, int deliveryConcurrency, long delayMillis, Infrastructure infrastructure,
			long deadlineMillis) {

		/** What the limit allows, in orders a second. */
		double idealPerSecond() {
			return this.deliveryConcurrency * 1_000.0 / this.delayMillis;
		}

	}

	/**
	 * What it came to.
	 *
	 * @param rate in the middle of the backlog
	 * @param share of what the limit allows, 0 to 1
	 */
	record Result(SavedCurve.Rate rate, double share) {
	}

	DrainExperiment(Settings settings, RunDirectory directory, Progress progress) {
		this.settings = settings;
		this.directory = directory;
		this.progress = progress;
	}

	/**
	 * Runs it.
	 * @throws LabException if not everything was saved in time
	 */
	Result run() throws IOException, InterruptedException {
		try (Stack stack = Stack.builder()
			.infrastructure(this.settings.infrastructure())
			.directory(this.directory.directory("logs"))
			.build(); HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build()) {
			stack.prepare(Set.of(Module.BACKEND, Module.CONSUMER), this.progress::step);
			this.progress.step("Starting Kafka, PostgreSQL and the backend");
			AtomicReference<@Nullable Service> started = new AtomicReference<>();
			Stack.inParallel(List.of(() -> {
				stack.startInfrastructure();
				return null;
			}, () -> {
				started.set(stack.startBackend(ServiceOptions.NONE));
				return null;
			}));
			Service backend = Objects.requireNonNull(started.get());
			BackendControl control = new BackendControl(client, backend.uri());
			control.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(this.settings.delayMillis())));
			this.progress.step("Placing %,d orders into Kafka".formatted(this.settings.orders()));
			produce(stack.infrastructure().kafka().bootstrapServers());
			this.progress
				.step("Starting a consumer that delivers %,d at once".formatted(this.settings.deliveryConcurrency()));
			Service consumer = stack.startConsumer(
					ServiceOptions.NONE.withProperty("delivery.concurrency", this.settings.deliveryConcurrency()));
			SavedCurve.Rate rate = drain(control, consumer).between(this.settings.orders(), FROM, TO);
			this.progress.endLine();
			return new Result(rate, rate.perSecond() / this.settings.idealPerSecond());
		}
	}

	private void produce(String bootstrapServers) throws InterruptedException {
		try (OrderFeed feed = new OrderFeed(bootstrapServers)) {
			for (int i = 0; i < this.settings.orders(); i++) {
				feed.send(OrderFeed.order(UUID.randomUUID(), "customer-" + i % CUSTOMERS));
			}
			feed.flush();
		}
	}

	private SavedCurve drain(BackendControl backend, Service consumer) throws InterruptedException {
		SavedCurve curve = new SavedCurve();
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(this.settings.deadlineMillis());
		while (curve.saved() < this.settings.orders()) {
			if (System.nanoTime() - deadline >= 0) {
				throw new LabException("Only %,d of %,d orders were saved within %d s; see %s".formatted(curve.saved(),
						this.settings.orders(), this.settings.deadlineMillis() / 1_000, consumer.logFile()));
			}
			if (!consumer.isAlive()) {
				throw new LabException("The consumer died; its log %s ends with:%n%s".formatted(consumer.logFile(),
						consumer.process().tail()));
			}
			long saved = backend.saved();
			curve.add(Instant.now(), saved);
			this.progress.now("%,d of %,d saved".formatted(saved, this.settings.orders()));
			Thread.sleep(POLL);
		}
		return curve;
	}

}
