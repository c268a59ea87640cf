package dev.sluice.gateway.core.config;

import java.time.Duration;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Properties of sends into Kafka. {@code spring.kafka.*} sets the producer itself.
 *
 * @param timeout maximum time that a client waits for Kafka's acknowledgement; default
 * 1.7 s, which with {@code status.key-lookup-timeout} stays below 2 s
 * @param maxInFlight maximum number of orders that await acknowledgement. Further orders
 * get 503 immediately; default 10,000
 * @param partitions number of partitions of the topics that the gateway creates; default
 * 12
 * @param replicationFactor number of replicas of each partition, for topics that the
 * gateway creates; default 1
 * @param minInsyncReplicas number of replicas that must have a record before it is
 * acknowledged, for topics that the gateway creates; 0 = one less than the replication
 * factor, and at least 1; default 0
 */
@ConfigurationProperties("queue")
@Validated
public record QueueProperties(@DefaultValue("1700ms") @DurationMin(millis = 1) Duration timeout,
		@DefaultValue("10000") @Min(1) @Max(1_000_000) int maxInFlight,
		@DefaultValue("12") @Min(1) @Max(10_000) int partitions,
		@DefaultValue("1") @Min(1) @Max(100) short replicationFactor,
		@DefaultValue("0") @Min(0) @Max(100) int minInsyncReplicas) {

	@AssertTrue(message = "queue.min-insync-replicas must not be greater than queue.replication-factor")
	boolean isMinInsyncReplicasPossible() {
		return this.minInsyncReplicas <= this.replicationFactor;
	}

}
