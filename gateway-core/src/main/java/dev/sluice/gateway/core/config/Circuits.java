package dev.sluice.gateway.core.config;

import java.time.Duration;

import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * When a circuit breaker stops calls to a dependency that fails.
 *
 * @param failurePercent the share of failed calls that opens the circuit, in percent;
 * default 50
 * @param minimumCalls minimum number of calls within the window before the share is
 * evaluated; default 50
 * @param window time for which a call counts, in whole seconds; default 10 s
 * @param openFor time for which an open circuit refuses calls before it permits a few
 * trial calls; default 1 s
 */
public record CircuitProperties(@DefaultValue("50") @Min(1) @Max(100) int failurePercent,
		@DefaultValue("50") @Min(1) int minimumCalls, @DefaultValue("10s") @DurationMin(seconds = 1) Duration window,
		@DefaultValue("1s") @DurationMin(millis = 1) Duration openFor) {

	/** Time for trial calls beyond the deadline of one. */
	private static final Duration TRIAL_MARGIN = Duration.ofMinutes(1);

	private static final int TRIALS = 10;

	/**
	 * A circuit that tries ten calls when it was open. Calls ended by an {@link Error}
	 * have no result, and would keep it half-open forever, refusing all others. So it
	 * closes after {@link #maxTrialTime}.
	 * @param deadline maximum time of a call
	 */
	public CircuitBreakerConfig.Builder toConfig(Duration deadline) {
		return CircuitBreakerConfig.custom()
			.slidingWindow(Math.toIntExact(this.window.toSeconds()), this.minimumCalls, SlidingWindowType.TIME_BASED)
			.failureRateThreshold(this.failurePercent)
			.permittedNumberOfCallsInHalfOpenState(TRIALS)
			.maxWaitDurationInHalfOpenState(maxTrialTime(deadline))
			.transitionToStateAfterWaitDuration(State.CLOSED)
			.waitDurationInOpenState(this.openFor)
			.writableStackTraceEnabled(false);
	}

	/** Maximum time that a circuit is half-open: a minute more than a call may take. */
	public static Duration maxTrialTime(Duration deadline) {
		return deadline.plus(TRIAL_MARGIN);
	}

}
