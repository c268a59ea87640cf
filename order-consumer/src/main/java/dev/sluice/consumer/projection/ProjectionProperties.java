package dev.sluice.consumer.projection;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How the status of orders is kept in PostgreSQL.
 *
 * @param enabled whether this instance does it; default true
 * @param groupId the consumer group; default {@code order-status}
 * @param batchSize events merged by one statement at most; default 1,000
 * @param linger how long to wait for a fuller batch: how far the status may lie behind
 * for the sake of fewer statements; default 50 ms; 0 = not at all
 */
@ConfigurationProperties("projection")
@Validated
public record ProjectionProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("order-status") @NotBlank String groupId,
		@DefaultValue("1000") @Min(1) @Max(100_000) int batchSize,
		@DefaultValue("50ms") @DurationMin @DurationMax(seconds = 10) Duration linger) {
}
