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
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

class SchedulingDelayTests {

	private static final Duration LIMIT = Duration.ofMillis(20);

	private static final int PLACES = 2 * RequestLimit.ALWAYS_ADMITTED;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

	private final Queue<String> failed = new ConcurrentLinkedQueue<>();

	private volatile boolean busy = true;

	private RequestLimit limit = limit(LIMIT, (task) -> {
		if (this.busy) {
			this.waiting.add(task);
		}
		else {
			task.run();
		}
	});

	@AfterEach
	void stop() {
		this.limit.stop();
	}

	@Test
	void takesPlacesAwayWhileATaskWaitsAndGivesThemBack() {
		this.limit.start();

		await().until(() -> places() < PLACES);
		assertThat(this.waiting).as("one probe at a time").hasSize(1);
		assertThat(measuredSeconds()).isGreaterThanOrEqualTo(LIMIT.toMillis() / 1_000.0);

		this.busy = false;
		this.waiting.remove().run();
		await().until(() -> places() == PLACES);
	}

	@Test
	void leavesThePlacesIfTasksRunImmediately() {
		this.limit = limit(Duration.ofMinutes(1), Runnable::run);
		this.limit.start();

		await().until(() -> measuredSeconds() > 0);

		assertThat(places()).isEqualTo(PLACES);
	}

	@Test
	void measuresNothingWithoutALimit() {
		this.limit = limitOf(Duration.ZERO, () -> {
			throw new AssertionError("Nothing is measured");
		});

		assertThatNoException().isThrownBy(this.limit::start);
	}

	@Test
	void goesOnAfterAnyException() {
		Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>(
				List.of(new RejectedExecutionException(), new IllegalStateException()));
		this.limit = limit(LIMIT, (probe) -> {
			RuntimeException failure = failures.poll();
			if (failure != null) {
				throw failure;
			}
			this.waiting.add(probe);
		});

		this.limit.start();

		await().until(() -> places() < PLACES);
		assertThat(this.failed).containsExactly("scheduling-delay");
	}

	private double places() {
		return this.meters.get(GatewayMetric.REQUESTS_LIMIT.metricName()).gauge().value();
	}

	private double measuredSeconds() {
		return this.meters.get(GatewayMetric.SCHEDULING_DELAY.metricName()).gauge().value();
	}

	private RequestLimit limit(Duration maxDelay, Executor threads) {
		return limitOf(maxDelay, () -> threads);
	}

	private RequestLimit limitOf(Duration maxDelay, RequestLimit.Threads threads) {
		this.meters.clear();
		return RequestLimits.of(new GatewayProperties(Mode.SYNC, PLACES, maxDelay, Duration.ZERO, 0, 0, 1,
				Duration.ZERO, Duration.ZERO), RequestLimitTests.CONNECTIONS, threads, this.failed::add, this.meters);
	}

}
