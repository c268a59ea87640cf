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
 * How missing topics are created, and how long delivered orders are kept. The gateways
 * have the first three keys too, because the first service to start creates the topics.
 *
 * @param partitions partitions of each topic; default 12
 * @param replicationFactor copies of each partition; default 1
 * @param minInsyncReplicas copies that must have a record before it is acknowledged; 0
 * means one less than the replication factor, at least 1; default 0
 * @param retention age from which an order is deleted from its topic, if it is delivered
 * and projected. Other orders are kept without limit. 0 disables deletion; default 7 days
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
