package dev.sluice.lab.kit.run;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.contract.Topics;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.stack.LabException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/** The group that delivers {@code orders}, as the broker knows it. Not thread-safe. */
public final class ConsumerGroup implements AutoCloseable {

	/** The default of {@code delivery.group-id}. */
	private static final String DELIVERY = "order-delivery";

	private static final int PARTITIONS = 12;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final Admin admin;

	public ConsumerGroup(String bootstrapServers) {
		this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
	}

	/**
	 * The number of records of {@code orders} that the group has not committed; empty if
	 * Kafka does not know at the moment, for example while the group has no coordinator.
	 * @throws LabException if a retry cannot help
	 */
	public OptionalLong left() throws InterruptedException {
		Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
		for (int i = 0; i < PARTITIONS; i++) {
			partitions.put(new TopicPartition(Topics.ORDERS, i), OffsetSpec.latest());
		}
		try {
			Map<TopicPartition, ListOffsetsResultInfo> ends = this.admin.listOffsets(partitions)
				.all()
				.get(Patience.of(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS);
			Map<TopicPartition, OffsetAndMetadata> committed = this.admin.listConsumerGroupOffsets(DELIVERY)
				.partitionsToOffsetAndMetadata()
				.get(Patience.of(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS);
			long left = 0;
			for (TopicPartition partition : partitions.keySet()) {
				OffsetAndMetadata commit = committed.get(partition);
				left += Objects.requireNonNull(ends.get(partition)).offset() - ((commit != null) ? commit.offset() : 0);
			}
			return OptionalLong.of(left);
		}
		catch (TimeoutException _) {
			return OptionalLong.empty();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RetriableException) {
				return OptionalLong.empty();
			}
			throw new LabException("Kafka cannot say how far %s has read: %s".formatted(DELIVERY, ex), ex);
		}
	}

	@Override
	public void close() {
		this.admin.close(TIMEOUT);
	}

}
