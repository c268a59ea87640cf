package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.sluice.contract.ProblemType;
import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.config.ConnectionProperties;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.metrics.RefusedRequests;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class RequestLimitTests {

	private static final ConnectionProperties CONNECTIONS = new ConnectionProperties(Duration.ZERO, Duration.ZERO,
			DataSize.ofBytes(0), 1, Duration.ZERO, DataSize.ofBytes(0));

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final SchedulingDelay delay = mock();

	private final RequestLimit limit = new RequestLimit(properties(Duration.ZERO), CONNECTIONS, this.delay,
			new RefusedRequests(this.meters), this.meters);

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
	void refusesWhileRequestsWaitTooLongForAThread() {
		SimpleMeterRegistry others = new SimpleMeterRegistry();
		RequestLimit wide = new RequestLimit(properties(2 * RequestLimit.ALWAYS_ADMITTED, Duration.ZERO), CONNECTIONS,
				this.delay, new RefusedRequests(others), others);
		given(this.delay.isExceeded()).willReturn(true);
		RequestLimit.Place admitted = wide.arrive();
		admitted.take();
		for (int i = 1; i < RequestLimit.ALWAYS_ADMITTED; i++) {
			wide.arrive().take();
		}
		assertThat(refusal(wide.arrive())).isEqualTo(ProblemType.OVERLOADED);

		admitted.close();

		wide.arrive().take();
		assertThat(refusal(wide.arrive())).isEqualTo(ProblemType.OVERLOADED);
		given(this.delay.isExceeded()).willReturn(false);
		wide.arrive().take();
		assertThat(refused(others, "overloaded")).isEqualTo(2);
	}

	@Test
	void givesAPlaceUpWhileABodyIsRead() {
		RequestLimit.Place first = this.limit.arrive();
		first.take();

		first.give();

		assertThat(receiving()).isEqualTo(1);
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
		assertThat(stopped).succeedsWithin(Patience.ofSeconds(60));
	}

	@Test
	void answersNewRequestsAtLeastForTheDrainTime() {
		SimpleMeterRegistry others = new SimpleMeterRegistry();
		RequestLimit slow = new RequestLimit(properties(Duration.ofMinutes(1)), CONNECTIONS, this.delay,
				new RefusedRequests(others), others);
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

	@Test
	void countsWhatItRefusesByReason() {
		this.limit.arrive().take();
		refusal(this.limit.arrive());
		refusal(this.limit.arrive());
		this.limit.stop(() -> {
		});
		refusal(this.limit.arrive());

		assertThat(refused("overloaded")).isEqualTo(2);
		assertThat(refused("shutting-down")).isEqualTo(1);
	}

	@Test
	void letsARequestThatArrivedBeforeTheStopGoOn() {
		RequestLimit.Place place = this.limit.arrive();
		place.take();
		place.close();
		place.close();
		this.limit.stop(() -> {
		});

		place.take();

		assertThat(inProgress()).isEqualTo(1);
		assertThat(receiving()).isZero();
		place.close();
		assertThat(inProgress()).isZero();
	}

	@Test
	void takesOnePlaceForARequestThatAsksAgain() {
		RequestLimit.Place place = this.limit.arrive();
		place.take();

		place.take();

		assertThat(inProgress()).isEqualTo(1);
	}

	private static ProblemType refusal(RequestLimit.Place place) {
		return catchThrowableOfType(ProblemException.class, place::take).type();
	}

	private double refused(String reason) {
		return refused(this.meters, reason);
	}

	private static double refused(SimpleMeterRegistry meters, String reason) {
		return meters.get(GatewayMetric.REQUESTS_REFUSED.metricName()).tag("reason", reason).counter().count();
	}

	private double receiving() {
		return this.meters.get(GatewayMetric.REQUESTS_RECEIVING.metricName()).gauge().value();
	}

	private double inProgress() {
		return this.meters.get(GatewayMetric.REQUESTS_IN_PROGRESS.metricName()).gauge().value();
	}

	private static GatewayProperties properties(Duration drainTime) {
		return properties(1, drainTime);
	}

	private static GatewayProperties properties(int maxInProgress, Duration drainTime) {
		return new GatewayProperties(Mode.SYNC, maxInProgress, Duration.ZERO, Duration.ZERO, 0, 0, 1, drainTime);
	}

}
