package dev.sluice.gateway.core.config;

import java.net.URI;
import java.time.Duration;
import java.util.Set;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Properties of calls to the backend.
 *
 * @param url the backend's address, without a path; default {@code http://127.0.0.1:8090}
 * @param connectTimeout maximum time to open a connection; default 1 s
 * @param responseTimeout maximum time of a whole exchange, from asking for a connection
 * to the last byte of the response; default 10 s
 * @param maxConcurrent maximum number of concurrent exchanges, and of pooled connections.
 * Further orders get 503 immediately; default 1,000
 * @param maxAttempts maximum number of attempts to deliver an order. After a failure of
 * the backend a retry follows at once, with a response timeout of its own. More than 1
 * adds load to a slow backend; default 1
 * @param idleTimeout time after which an unused connection is closed; default 60 s
 */
@ConfigurationProperties("backend")
@Validated
public record BackendProperties(@DefaultValue("http://127.0.0.1:8090") @NotNull URI url,
		@DefaultValue("1s") @DurationMin(millis = 1) Duration connectTimeout,
		@DefaultValue("10s") @DurationMin(millis = 1) Duration responseTimeout,
		@DefaultValue("1000") @Min(1) @Max(100_000) int maxConcurrent,
		@DefaultValue("1") @Min(1) @Max(10) int maxAttempts,
		@DefaultValue("60s") @DurationMin(seconds = 1) Duration idleTimeout) {

	@AssertTrue(message = "backend.url must be http://host:port or https://host:port, without a path")
	public boolean isUrlUsable() {
		return this.url.getHost() != null && Set.of("http", "https").contains(this.url.getScheme())
				&& Set.of("", "/").contains(this.url.getRawPath());
	}

	public URI orders() {
		return this.url.resolve("/orders");
	}

	public URI order(Object id) {
		return this.url.resolve("/orders/" + id);
	}

}
