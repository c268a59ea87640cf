package dev.sluice.lab.kit.run;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.contract.Topics;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.run.SourceOption.Source;
import dev.sluice.lab.kit.stack.LabException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.RetriableException;

/** A group that reads {@code orders}, as the broker knows it. Not thread-safe. */
public final class ConsumerGroup implements AutoCloseable {

	/** The default of {@code delivery.group-id}. */
	public static final String DELIVERY = "order-delivery";

	/** The default of {@code projection.group-id}. */
	public static final String STATUS = "order-status";

	private static final int PARTITIONS = 12;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final long POLL_MILLIS = 250;

	/**
	 * A cooperative rebalance is stable for a moment between its two steps, so one check
	 * is not enough.
	 */
	private static final int CHECKS = 2;

	private final String name;

	private final boolean shared;

	private final Admin admin;

	/** The group that delivers. */
	public static ConsumerGroup delivery(String bootstrapServers, Source source) {
		return new ConsumerGroup(bootstrapServers, DELIVERY, source == Source.SHARE_GROUP);
	}

	/** A consumer group, whose members are assigned partitions. */
	public ConsumerGroup(String bootstrapServers, String name) {
		this(bootstrapServers, name, false);
	}

	private ConsumerGroup(String bootstrapServers, String name, boolean shared) {
		this.name = name;
		this.shared = shared;
		this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
	}

	/**
	 * Waits until the group has this many members, they share all partitions, and no
	 * rebalance is under way.
	 * @throws LabException if that takes longer than the timeout
	 */
	public void awaitStable(int members, Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		int stable = 0;
		while (stable < CHECKS) {
			if (System.nanoTime() - deadline > 0) {
				throw new LabException("The group is not stable with %d members after %d s: %s".formatted(members,
						timeout.toSeconds(), describe()));
			}
			Thread.sleep(POLL_MILLIS);
			stable = describe().filter((group) -> isStable(group, members)).isPresent() ? stable + 1 : 0;
		}
	}

	/**
	 * Waits until the group has read {@code orders} to its end.
	 * @return number of records that it has not committed when the time is up
	 * @throws LabException if Kafka has not answered by then
	 */
	public long awaitRead(Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (true) {
			OptionalLong left = left();
			if (left.isPresent() && left.getAsLong() == 0) {
				return 0;
			}
			if (System.nanoTime() - deadline > 0) {
				return left.orElseThrow(() -> new LabException(
						"Kafka did not say within %d s how far %s has read".formatted(timeout.toSeconds(), this.name)));
			}
			Thread.sleep(POLL_MILLIS);
		}
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
			if (this.shared) {
				return leftOfShares(ends);
			}
			Map<TopicPartition, OffsetAndMetadata> committed = this.admin.listConsumerGroupOffsets(this.name)
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
			throw new LabException("Kafka cannot say how far %s has read: %s".formatted(this.name, ex), ex);
		}
	}

	/**
	 * Uses the lag, because the start offset that the broker reports for a share group
	 * stays behind until the next record is accepted.
	 */
	private OptionalLong leftOfShares(Map<TopicPartition, ListOffsetsResultInfo> ends)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, SharePartitionOffsetInfo> shares = this.admin
			.listShareGroupOffsets(Map.of(this.name, new ListShareGroupOffsetsSpec()))
			.partitionsToOffsetInfo(this.name)
			.get(Patience.of(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS);
		long left = 0;
		for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : ends.entrySet()) {
			SharePartitionOffsetInfo share = shares.get(end.getKey());
			if (share == null && end.getValue().offset() > 0 || share != null && share.lag().isEmpty()) {
				return OptionalLong.empty();
			}
			left += (share != null) ? share.lag().orElseThrow() : 0;
		}
		return OptionalLong.of(left);
	}

	private static boolean isStable(ConsumerGroupDescription group, int members) {
		return group.groupState() == GroupState.STABLE && group.members().size() == members
				&& group.members()
					.stream()
					.mapToInt((member) -> member.assignment().topicPartitions().size())
					.sum() == PARTITIONS
				&& group.members().stream().noneMatch((member) -> member.assignment().topicPartitions().isEmpty());
	}

	/** Empty before the first member has joined. */
	private Optional<ConsumerGroupDescription> describe() throws InterruptedException {
		try {
			return Optional.of(Objects
				.requireNonNull(this.admin.describeConsumerGroups(List.of(this.name)).describedGroups().get(this.name))
				.get(Patience.of(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (ExecutionException | TimeoutException ex) {
			if (ex.getCause() instanceof GroupIdNotFoundException) {
				return Optional.empty();
			}
			throw new LabException("Kafka cannot describe the group: " + ex, ex);
		}
	}

	@Override
	public void close() {
		this.admin.close(TIMEOUT);
	}

}
