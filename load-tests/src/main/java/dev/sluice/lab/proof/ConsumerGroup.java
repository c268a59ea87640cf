package dev.sluice.lab.proof;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.contract.Topics;
import dev.sluice.lab.stack.LabException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** The group that delivers, as the broker knows it. For one thread. */
final class ConsumerGroup implements AutoCloseable {

	/** {@code delivery.group-id}'s default. */
	static final String DELIVERY = "order-delivery";

	/** {@code projection.group-id}'s default. */
	static final String STATUS = "order-status";

	private static final int PARTITIONS = 12;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final long POLL_MILLIS = 250;

	/** Between the two steps of a cooperative rebalance it is stable for a moment. */
	private static final int LOOKS = 2;

	private final Admin admin;

	ConsumerGroup(String bootstrapServers) {
		this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
	}

	/**
	 * Waits until the group has so many members, which share all partitions, and nothing
	 * moves any more.
	 * @throws LabException if that is not so in time
	 */
	void awaitStable(int members, Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		int looks = 0;
		while (looks < LOOKS) {
			if (System.nanoTime() - deadline > 0) {
				throw new LabException("The group has not come to rest with %d members within %d s: %s"
					.formatted(members, timeout.toSeconds(), describe()));
			}
			Thread.sleep(POLL_MILLIS);
			looks = describe().filter((group) -> isStable(group, members)).isPresent() ? looks + 1 : 0;
		}
	}

	/**
	 * Waits until a group has read {@code orders} to its end.
	 * @return how many records it has not committed by then
	 */
	static long awaitRead(String bootstrapServers, String group, Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
			while (true) {
				long left = left(admin, group);
				if (left == 0 || System.nanoTime() - deadline > 0) {
					return left;
				}
				Thread.sleep(POLL_MILLIS);
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new LabException("Kafka does not tell how far %s has read: %s".formatted(group, ex), ex);
		}
	}

	private static long left(Admin admin, String group)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
		for (int i = 0; i < PARTITIONS; i++) {
			partitions.put(new TopicPartition(Topics.ORDERS, i), OffsetSpec.latest());
		}
		Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(partitions)
			.all()
			.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(group)
			.partitionsToOffsetAndMetadata()
			.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		long left = 0;
		for (TopicPartition partition : partitions.keySet()) {
			OffsetAndMetadata commit = committed.get(partition);
			left += Objects.requireNonNull(ends.get(partition)).offset() - ((commit != null) ? commit.offset() : 0);
		}
		return left;
	}

	private static boolean isStable(ConsumerGroupDescription group, int members) {
		return group.groupState() == GroupState.STABLE && group.members().size() == members
				&& group.members()
					.stream()
					.mapToInt((member) -> member.assignment().topicPartitions().size())
					.sum() == PARTITIONS
				&& group.members().stream().noneMatch((member) -> member.assignment().topicPartitions().isEmpty());
	}

	/** Empty before anybody has joined. */
	private Optional<ConsumerGroupDescription> describe() throws InterruptedException {
		try {
			return Optional.of(Objects
				.requireNonNull(this.admin.describeConsumerGroups(List.of(DELIVERY)).describedGroups().get(DELIVERY))
				.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (ExecutionException | TimeoutException ex) {
			if (ex.getCause() instanceof GroupIdNotFoundException) {
				return Optional.empty();
			}
			throw new LabException("Kafka does not tell of the group: " + ex, ex);
		}
	}

	@Override
	public void close() {
		this.admin.close(TIMEOUT);
	}

}
