package dev.sluice.consumer;

import java.time.Duration;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How the topics are created where they are missing, and how long delivered orders stay.
 * The gateways have the first three keys as well: the first service to start creates the
 * topics.
 *
 * @param partitions partitions of each topic; default 12
 * @param replicationFactor copies of each partition; default 1
 * @param minInsyncReplicas copies that must have a record before it is acknowledged; 0 =
 * one less than the replication factor, and at least 1; default 0
 * @param retention how long an order stays in its topic at least, also after it was
 * delivered and projected; what was not is kept without limit; default 7 days; 0 =
 * nothing is ever deleted
 */
@ConfigurationProperties("queue")
@Validated
public record QueueProperties(@DefaultValue("12") @Min(1) @Max(10_000) int partitions,
		@DefaultValue("1") @Min(1) @Max(100) short replicationFactor,
		@DefaultValue("0") @Min(0) @Max(100) int minInsyncReplicas,
		@DefaultValue("7d") @DurationMin @DurationMax(days = 36_500) Duration retention) {

	@AssertTrue(message = "queue.min-insync-replicas must not be greater than queue.replication-factor")
	boolean isMinInsyncReplicasPossible() {
		return this.minInsyncReplicas <= this.replicationFactor;
	}

}
