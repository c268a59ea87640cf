package dev.sluice.consumer.backend;

import java.net.URI;
import java.time.Duration;
import java.util.Set;

import jakarta.validation.Valid;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The connection to the backend.
 *
 * @param url the base URL, without a path; default {@code http://127.0.0.1:8090}
 * @param connectTimeout maximum time to open a connection; default 1 s
 * @param responseTimeout maximum time of a whole exchange, from the first byte of the
 * request to the last byte of the answer; default 10 s
 * @param idleTimeout how long an unused connection is kept; default 60 s
 * @param circuit the circuit breaker
 */
@ConfigurationProperties("backend")
@Validated
public record BackendProperties(@DefaultValue("http://127.0.0.1:8090") @NotNull URI url,
		@DefaultValue("1s") @DurationMin(millis = 1) Duration connectTimeout,
		@DefaultValue("10s") @DurationMin(millis = 1) Duration responseTimeout,
		@DefaultValue("60s") @DurationMin(seconds = 1) Duration idleTimeout, @DefaultValue @Valid Circuit circuit) {

	@AssertTrue(message = "backend.url must be http://host:port or https://host:port, without a path")
	boolean isUrlUsable() {
		return this.url.getHost() != null && Set.of("http", "https").contains(this.url.getScheme())
				&& Set.of("", "/").contains(this.url.getRawPath());
	}

	/**
	 * When the circuit breaker opens and closes.
	 *
	 * @param consecutiveFailures number of consecutive failed attempts, of any orders and
	 * at any rate, that opens the circuit breaker. If more attempts are in flight, their
	 * number counts instead. It opens only once they have lasted as long as the latest
	 * save took; default 10
	 * @param failurePercent share of failed attempts within the window that opens the
	 * circuit breaker, in percent; default 50
	 * @param window period whose attempts count for the share, in whole seconds; default
	 * 10 s
	 * @param minimumCalls number of attempts within the window from which the share
	 * counts; default 20
	 * @param openFor how long the circuit breaker stays open before it permits trials;
	 * default 2 s
	 * @param trials number of orders tried while the circuit breaker is half-open. Their
	 * share of failures opens or closes it; default 10
	 */
	public record Circuit(@DefaultValue("10") @Min(1) @Max(1_000_000) int consecutiveFailures,
			@DefaultValue("50") @Min(1) @Max(100) int failurePercent,
			@DefaultValue("10s") @DurationMin(seconds = 1) @DurationMax(hours = 1) Duration window,
			@DefaultValue("20") @Min(1) int minimumCalls,
			@DefaultValue("2s") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration openFor,
			@DefaultValue("10") @Min(1) @Max(1_000) int trials) {
	}

}
