package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.server.context.WebServerApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

class RequestLimitTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RequestLimit limit = new RequestLimit(properties(Duration.ZERO), this.meters);

	@Test
	void refusesWhatExceedsTheLimit() {
		RequestLimit.Place first = this.limit.arrive();
		first.take();
		RequestLimit.Place second = this.limit.arrive();

		assertThat(refusal(second)).isEqualTo(ProblemType.OVERLOADED);
		second.close();
		assertThat(inProgress()).isEqualTo(1);
		first.close();
		assertThat(inProgress()).isZero();
	}

	@Test
	void givesAPlaceUpWhileABodyIsRead() {
		RequestLimit.Place first = this.limit.arrive();
		first.take();

		first.give();

		RequestLimit.Place second = this.limit.arrive();
		second.take();
		assertThat(refusal(first)).isEqualTo(ProblemType.OVERLOADED);
		first.close();
		assertThat(inProgress()).isEqualTo(1);
	}

	@Test
	void stopsWhenEarlierRequestsAreAnsweredAndRefusesLaterOnes() {
		RequestLimit.Place before = this.limit.arrive();
		before.take();
		CompletableFuture<Boolean> stopped = new CompletableFuture<>();

		this.limit.stop(() -> stopped.complete(true));

		RequestLimit.Place after = this.limit.arrive();
		assertThat(after.isTooLate()).isTrue();
		assertThat(refusal(after)).isEqualTo(ProblemType.SHUTTING_DOWN);
		after.close();
		assertThat(stopped).isNotDone();
		before.close();
		assertThat(stopped).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void answersNewRequestsAtLeastForTheDrainTime() {
		RequestLimit slow = new RequestLimit(properties(Duration.ofMinutes(1)), new SimpleMeterRegistry());
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
		assertThat(this.limit.arrive().isTooLate()).isFalse();
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

	@Test
	void exportsTheLimitBesideWhatIsInProgress() {
		assertThat(this.meters.get(GatewayMetric.REQUESTS_LIMIT.metricName()).gauge().value()).isEqualTo(1);
		assertThat(inProgress()).isZero();
	}

	private static ProblemType refusal(RequestLimit.Place place) {
		return catchThrowableOfType(ProblemException.class, place::take).type();
	}

	private double inProgress() {
		return this.meters.get(GatewayMetric.REQUESTS_IN_PROGRESS.metricName()).gauge().value();
	}

	private static GatewayProperties properties(Duration drainTime) {
		return new GatewayProperties(Mode.SYNC, 1, Duration.ZERO, 0, 0, 1, drainTime);
	}

}
