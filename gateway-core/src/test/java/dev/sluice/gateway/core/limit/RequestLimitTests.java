package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

class RequestLimitTests {

	static final ConnectionProperties CONNECTIONS = new ConnectionProperties(Duration.ZERO, Duration.ZERO, 1,
			Duration.ZERO, DataSize.ofBytes(0));

	private static final Duration DELAY = Duration.ofMillis(250);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RequestLimit limit = limit(1, DELAY, Duration.ZERO, this.meters);

	@Test
	void hasFewerPlacesWhileTasksWaitTooLongForAThread() {
		SimpleMeterRegistry others = new SimpleMeterRegistry();
		RequestLimit wide = limit(1_000, DELAY, Duration.ZERO, others);
		for (int i = 0; i < 400; i++) {
			wide.arrive().take();
		}
		Duration late = DELAY.plusMillis(1);

		wide.adapt(late);
		assertThat(places(others)).as("after a single pause").isEqualTo(1_000);

		wide.adapt(late);
		assertThat(places(others)).isEqualTo(300);
		assertThat(refusal(wide.arrive())).isEqualTo(ProblemType.OVERLOADED);

		for (int i = 0; i < 10; i++) {
			wide.adapt(late);
		}
		assertThat(places(others)).isEqualTo(RequestLimit.ALWAYS_ADMITTED);

		for (int i = 0; i < 40; i++) {
			wide.adapt(DELAY);
		}
		assertThat(places(others)).isEqualTo(1_000);
		wide.arrive().take();
	}

	@Test
	void answersNewRequestsAtLeastForTheDrainTime() {
		SimpleMeterRegistry others = new SimpleMeterRegistry();
		RequestLimit slow = limit(1, DELAY, Duration.ofMinutes(1), others);
		CompletableFuture<Boolean> stopped = new CompletableFuture<>();

		slow.stop(() -> stopped.complete(true));

		assertThat(stopped).isNotDone();
	}

	@Test
	void runsUntilTheLastRequestIsAnswered() {
		this.limit.start();
		RequestLimit.Place last = this.limit.arrive();
		this.limit.stop(() -> {
		});
		assertThat(this.limit.isRunning()).isTrue();

		last.close();

		await().until(() -> !this.limit.isRunning());
	}

	@Test
	void letsRequestsInAgainWhenItIsStartedAgain() {
		this.limit.start();
		this.limit.stop(() -> {
		});
		await().until(() -> !this.limit.isRunning());

		this.limit.start();

		assertThat(this.limit.isRunning()).isTrue();
		this.limit.arrive().take();
	}

	@Test
	void canBeStoppedAtOnce() {
		this.limit.start();

		this.limit.stop();

		assertThat(this.limit.isRunning()).isFalse();
	}

	@Test
	void stopsBeforeTheWebServerAndIsNotPaused() {
		assertThat(this.limit.getPhase()).isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
		assertThat(this.limit.isPauseable()).isFalse();
	}

	private static ProblemType refusal(RequestLimit.Place place) {
		return catchThrowableOfType(ProblemException.class, place::take).type();
	}

	private static double places(SimpleMeterRegistry meters) {
		return meters.get(GatewayMetric.REQUESTS_LIMIT.metricName()).gauge().value();
	}

	static RequestLimit limit(int maxInProgress, Duration maxDelay, Duration drainTime, SimpleMeterRegistry meters) {
		return RequestLimits.of(new GatewayProperties(Mode.SYNC, maxInProgress, maxDelay, Duration.ZERO, 0, 0, 1,
				drainTime, Duration.ZERO), CONNECTIONS, meters);
	}

}
