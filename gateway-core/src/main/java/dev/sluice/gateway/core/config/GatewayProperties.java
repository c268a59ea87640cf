package dev.sluice.gateway.core.config;

import java.time.Duration;

import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.Prefer;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.PositiveOrZero;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Properties of the gateway as a whole.
 *
 * @param defaultMode the mode of an order whose client states no preference: {@code sync}
 * or {@code queued}; default {@code sync}
 * @param maxInProgress maximum number of requests of the API in progress. Further
 * requests get 503 immediately. 0 = as many as fit in a quarter of the heap at 60 KB
 * each; a large body takes several times its size as well; default 0
 * @param maxSchedulingDelay time that a request may wait for a thread, each time that it
 * needs one. While tasks wait longer, fewer requests than {@code sluice.max-in-progress}
 * are let in, but at least 200. Does not apply to {@code servlet-platform}. 0 = no limit;
 * default 1 s
 * @param maxWait maximum time that {@code Prefer: wait=n} can ask for, in whole seconds.
 * A longer time is cut to it. 0 disables waiting; default 10 s
 * @param maxWaiters maximum number of requests waiting with {@code wait=n}. Further
 * requests get 202 immediately. 0 disables waiting; default 100
 * @param clientLimit maximum number of orders per second that a customer may place at
 * this gateway. Further orders get 429. 0 = no limit; default 0
 * @param clientBurst number of orders that a customer may place at once after a pause;
 * default 10
 * @param drainTime minimum time for which a stopping gateway answers new requests with
 * 503. It goes on while earlier requests are in progress. 0 = only while they are;
 * default 1 s
 * @param warmUp time for which made-up orders warm the JVM up before the gateway starts.
 * 0 = none; default 8 s
 */
@ConfigurationProperties("sluice")
@Validated
public record GatewayProperties(@DefaultValue("sync") Mode defaultMode,
		@DefaultValue("0") @Min(0) @Max(100_000) int maxInProgress,
		@DefaultValue("1s") @DurationMin @DurationMax(seconds = 10) Duration maxSchedulingDelay,
		@DefaultValue("10s") @DurationMin @DurationMax(minutes = 5) Duration maxWait,
		@DefaultValue("100") @PositiveOrZero @Max(100_000) int maxWaiters,
		@DefaultValue("0") @PositiveOrZero @DecimalMax("1000000") double clientLimit,
		@DefaultValue("10") @Min(1) @Max(1_000_000) int clientBurst,
		@DefaultValue("1s") @DurationMin @DurationMax(seconds = 15) Duration drainTime,
		@DefaultValue("8s") @DurationMin @DurationMax(hours = 1) Duration warmUp) {

	private static final int BYTES_OF_REQUEST = 60 * 1024;

	public GatewayProperties {
		maxInProgress = ConnectionProperties.limit(maxInProgress, Runtime.getRuntime().maxMemory(), BYTES_OF_REQUEST,
				100_000);
	}

}
