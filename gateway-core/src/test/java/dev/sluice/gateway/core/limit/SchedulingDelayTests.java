package dev.sluice.gateway.core.limit;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.Queue;
import java.util.List;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;

import dev.sluice.threads.Supervisor;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Mode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SchedulingDelayTests {

	private static final Duration LIMIT = Duration.ofMillis(20);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

	private final Queue<String> failed = new ConcurrentLinkedQueue<>();

	private SchedulingDelay delay = delay(LIMIT, this.waiting::add);

	@AfterEach
	void stop() {
		this.delay.stop();
	}

	@Test
	void isExceededWhileATaskWaitsTwiceAsLong() {
		this.delay.start();

		await().until(this.delay::isExceeded);

		assertThat(this.waiting).as("one probe at a time").hasSize(1);
		assertThat(measuredSeconds()).isGreaterThanOrEqualTo(2 * LIMIT.toMillis() / 1_000.0);
	}

	@Test
	void isNotExceededOnceATaskRunsInTime() {
		this.delay.start();
		await().until(this.delay::isExceeded);

		await().until(() -> {
			Runnable task = this.waiting.poll();
			if (task != null) {
				task.run();
			}
			return !this.delay.isExceeded();
		});
	}

	@Test
	void isExceededWhenOneTaskAfterAnotherWaitsTooLong() {
		this.delay.start();

		await().until(() -> {
			Runnable task = this.waiting.take();
			Thread.sleep(LIMIT.plusMillis(5));
			task.run();
			return this.delay.isExceeded();
		});
	}

	@Test
	void staysBelowTheLimitIfTasksRunImmediately() {
		this.delay = delay(Duration.ofMinutes(1), Runnable::run);
		this.delay.start();

		await().until(() -> measuredSeconds() > 0);

		assertThat(this.delay.isExceeded()).isFalse();
	}

	@Test
	void measuresNothingWithoutALimit() {
		this.delay = delay(Duration.ZERO, this.waiting::add);

		this.delay.start();

		assertThat(this.delay.isRunning()).isFalse();
		assertThat(this.waiting).isEmpty();
	}

	@Test
	void isNotExceededAfterItWasStopped() {
		this.delay.start();
		await().until(this.delay::isExceeded);

		this.delay.stop();

		await().until(() -> !this.delay.isExceeded());
		assertThat(this.delay.isRunning()).isFalse();
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

		await().until(this.delay::isExceeded);
		assertThat(this.failed).containsExactly("scheduling-delay");
	}

	private double measuredSeconds() {
		return this.meters.get(GatewayMetric.SCHEDULING_DELAY.metricName()).gauge().value();
	}

	private SchedulingDelay delay(Duration limit, Executor threads) {
		this.meters.clear();
		return new SchedulingDelay(new GatewayProperties(Mode.SYNC, 1, limit, Duration.ZERO, 0, 0, 1, Duration.ZERO),
				() -> threads, this.meters, new Supervisor(this.failed::add));
	}

}
