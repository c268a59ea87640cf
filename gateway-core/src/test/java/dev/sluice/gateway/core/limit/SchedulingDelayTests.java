package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;

import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SchedulingDelayTests {

	private static final Duration LIMIT = Duration.ofMillis(20);

	private static final int PLACES = 2 * RequestLimit.ALWAYS_ADMITTED;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RequestLimit limit = RequestLimitTests.limit(PLACES, LIMIT, Duration.ZERO, this.meters);

	private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

	private final Queue<String> failed = new ConcurrentLinkedQueue<>();

	private SchedulingDelay delay = delay(LIMIT, this.waiting::add);

	@AfterEach
	void stop() {
		this.delay.stop();
	}

	@Test
	void takesPlacesAwayWhileATaskWaitsAndGivesThemBack() {
		this.delay.start();

		await().until(() -> places() < PLACES);
		assertThat(this.waiting).as("one probe at a time").hasSize(1);
		assertThat(measuredSeconds()).isGreaterThanOrEqualTo(LIMIT.toMillis() / 1_000.0);

		await().until(() -> {
			Runnable task = this.waiting.poll();
			if (task != null) {
				task.run();
			}
			return places() == PLACES;
		});
	}

	@Test
	void leavesThePlacesIfTasksRunImmediately() {
		this.delay = delay(Duration.ofMinutes(1), Runnable::run);
		this.delay.start();

		await().until(() -> measuredSeconds() > 0);

		assertThat(places()).isEqualTo(PLACES);
	}

	@Test
	void measuresNothingWithoutALimit() {
		this.delay = delay(Duration.ZERO, this.waiting::add);

		this.delay.start();

		assertThat(this.delay.isRunning()).isFalse();
		assertThat(this.waiting).isEmpty();
	}

	@Test
	void goesOnAfterAnyException() {
		Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>(
				List.of(new RejectedExecutionException(), new IllegalStateException()));
		this.delay = delay(LIMIT, (probe) -> {
			RuntimeException failure = failures.poll();
			if (failure != null) {
				throw failure;
			}
			this.waiting.add(probe);
		});

		this.delay.start();

		await().until(() -> places() < PLACES);
		assertThat(this.failed).containsExactly("scheduling-delay");
		this.delay.stop();
		assertThat(this.delay.isRunning()).isFalse();
	}

	private double places() {
		return this.meters.get(GatewayMetric.REQUESTS_LIMIT.metricName()).gauge().value();
	}

	private double measuredSeconds() {
		return this.meters.get(GatewayMetric.SCHEDULING_DELAY.metricName()).gauge().value();
	}

	private SchedulingDelay delay(Duration maxDelay, Executor threads) {
		this.meters.find(GatewayMetric.SCHEDULING_DELAY.metricName()).meters().forEach(this.meters::remove);
		return new SchedulingDelay(
				new GatewayProperties(Mode.SYNC, 1, maxDelay, Duration.ZERO, 0, 0, 1, Duration.ZERO, Duration.ZERO),
				this.limit, () -> threads, this.meters, new Supervisor(this.failed::add));
	}

}
