package dev.sluice.consumer.backend;

import java.net.URI;
import java.time.Duration;
import java.util.Set;

import jakarta.validation.Valid;
import jakarta.validation.constraints.AssertTrue;
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
	 * When the circuit breaker opens, and how often it then tries an order.
	 *
	 * @param openAfter how long nothing must have been saved, although at least 10
	 * attempts failed, for the circuit breaker to open. If the latest save took longer,
	 * its time counts instead; default 2 s
	 * @param openFor longest pause between two trials while the circuit breaker is open.
	 * A pause is a 40th of the time for which nothing was saved, if that is shorter;
	 * default 2 s
	 */
	public record Circuit(@DefaultValue("2s") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration openAfter,
			@DefaultValue("2s") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration openFor) {
	}

}
