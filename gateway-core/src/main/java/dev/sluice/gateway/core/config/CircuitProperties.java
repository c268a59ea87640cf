package dev.sluice.gateway.core.config;

import java.time.Duration;

import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A circuit breaker: when it stops calls to a dependency that fails.
 *
 * @param failurePercent the share of failed calls that opens the circuit, in percent;
 * default 50
 * @param minimumCalls calls within the window before the share is looked at; default 50
 * @param window how far back calls count; whole seconds, default 10 s
 * @param openFor time for which an open circuit refuses calls, before it permits some for
 * trial; default 1 s
 */
public record CircuitProperties(@DefaultValue("50") @Min(1) @Max(100) int failurePercent,
		@DefaultValue("50") @Min(1) int minimumCalls, @DefaultValue("10s") @DurationMin(seconds = 1) Duration window,
		@DefaultValue("1s") @DurationMin(millis = 1) Duration openFor) {

	private static final int TRIALS = 10;

	/** Trials need no bound of their own: each call has a deadline. */
	public CircuitBreakerConfig.Builder toConfig() {
		return CircuitBreakerConfig.custom()
			.slidingWindow(Math.toIntExact(this.window.toSeconds()), this.minimumCalls, SlidingWindowType.TIME_BASED)
			.failureRateThreshold(this.failurePercent)
			.permittedNumberOfCallsInHalfOpenState(TRIALS)
			.waitDurationInOpenState(this.openFor)
			.writableStackTraceEnabled(false);
	}

}
