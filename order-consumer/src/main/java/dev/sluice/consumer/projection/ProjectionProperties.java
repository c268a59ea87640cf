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
 * The projection of the status of orders to PostgreSQL.
 *
 * @param enabled whether this instance runs the projection; default true
 * @param groupId the consumer group; default {@code order-status}
 * @param batchSize maximum number of events merged by one statement; default 1,000
 * @param linger how long to wait for a fuller batch. A longer wait saves statements and
 * delays the status. 0 disables waiting; default 50 ms
 */
@ConfigurationProperties("projection")
@Validated
public record ProjectionProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("order-status") @NotBlank String groupId,
		@DefaultValue("1000") @Min(1) @Max(100_000) int batchSize,
		@DefaultValue("50ms") @DurationMin @DurationMax(seconds = 10) Duration linger) {
}
