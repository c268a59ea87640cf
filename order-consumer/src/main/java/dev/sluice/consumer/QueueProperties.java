package dev.sluice.consumer;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How the topics are created where they are missing. The gateways have the same keys:
 * whoever comes first creates them.
 *
 * @param partitions partitions of each topic; default 12
 * @param replicationFactor copies of each partition; default 1
 */
@ConfigurationProperties("queue")
@Validated
record QueueProperties(@DefaultValue("12") @Min(1) @Max(10_000) int partitions,
		@DefaultValue("1") @Min(1) @Max(100) short replicationFactor) {
}
