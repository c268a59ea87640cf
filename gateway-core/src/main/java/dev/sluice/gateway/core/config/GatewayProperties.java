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
 * What concerns the gateway as a whole.
 *
 * @param defaultMode the mode of an order whose client states no preference: {@code sync}
 * or {@code queued}; default {@code sync}
 * @param maxInProgress requests of the API that are processed at once, whatever they wait
 * for; beyond: 503; each takes some 50 KB of heap, and its body's size several times;
 * default 2,000
 * @param maxWait the longest that {@code Prefer: wait=n} may ask for; more is cut down to
 * it; whole seconds; 0 = nobody waits; default 10 s
 * @param maxWaiters requests that wait so at once; beyond: 202 at once; 0 = nobody waits;
 * default 100
 * @param clientLimit orders a second that a customer may place at this gateway; beyond:
 * 429; 0 = any number; default 0
 * @param clientBurst orders that a customer may place at once after a while without any;
 * default 10
 * @param drainTime how long a gateway that stops goes on answering new requests that it
 * does; longer while earlier ones are in progress; 0 = only as long as they are; default
 * 1 s
 */
@ConfigurationProperties("sluice")
@Validated
public record GatewayProperties(@DefaultValue("sync") Mode defaultMode,
		@DefaultValue("2000") @Min(1) @Max(100_000) int maxInProgress,
		@DefaultValue("10s") @DurationMin @DurationMax(minutes = 5) Duration maxWait,
		@DefaultValue("100") @PositiveOrZero @Max(100_000) int maxWaiters,
		@DefaultValue("0") @PositiveOrZero @DecimalMax("1000000") double clientLimit,
		@DefaultValue("10") @Min(1) @Max(1_000_000) int clientBurst,
		@DefaultValue("1s") @DurationMin @DurationMax(seconds = 15) Duration drainTime) {
}
