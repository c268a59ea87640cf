package dev.sluice.consumer.offsets;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.sluice.contract.Topics;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.TopicWatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Deletes orders from the topic {@code orders} that are delivered, projected and older
 * than the retention. The topic itself expires nothing. In each partition that this
 * instance reads, it deletes up to the lowest of the delivery's commit, the projection's
 * commit and the first record within the retention. It skips a partition that one of the
 * two groups has no commit for.
 * <p>
 * One thread runs it at its start and then once a minute. After a failure, the next run
 * retries.
 */
public final class OrderPurge implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(OrderPurge.class);

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	private static final int TIMEOUT_MILLIS = 10_000;

	private final Duration retention;

	private final List<String> groups;

	private final Supplier<Set<TopicPartition>> partitions;

	private final TopicWatch topics;

	private final Supplier<Admin> admins;

	private final InstantSource clock;

	private final Supervisor supervisor;

	/** Whether a failure was logged. Confined to the thread. */
	private boolean warned;

	private @Nullable Thread thread;

	/**
	 * @param retention the age from which an order may be deleted; 0 means never
	 * @param groups the groups that must have committed the order
	 * @param partitions supplies the partitions to delete from
	 * @param admins creates the admin client of a purge
	 */
	public OrderPurge(Duration retention, List<String> groups, Supplier<Set<TopicPartition>> partitions,
			TopicWatch topics, Supplier<Admin> admins, InstantSource clock, Supervisor supervisor) {
		this.retention = retention;
		this.groups = groups;
		this.partitions = partitions;
		this.topics = topics;
		this.admins = admins;
		this.clock = clock;
		this.supervisor = supervisor;
	}

	@Override
	public void start() {
		if (this.retention.isPositive()) {
			this.thread = this.supervisor.start("order-purge", this::run);
		}
	}

	private Duration run() throws InterruptedException {
		try {
			purge();
			this.warned = false;
		}
		catch (InterruptException ex) {
			throw ex;
		}
		catch (ExecutionException | TimeoutException | KafkaException ex) {
			if (!this.warned) {
				this.warned = true;
				logger.warn(
						"Delivered orders cannot be deleted from {}. Retrying in a minute. This requires DELETE "
								+ "on the topic and DESCRIBE on the groups {}: {}",
						Topics.ORDERS, this.groups, ex.toString());
			}
		}
		return INTERVAL;
	}

	/** Runs one purge. */
	public void purge() throws InterruptedException, ExecutionException, TimeoutException {
		Uuid topic = this.topics.ids().get(Topics.ORDERS);
		Set<TopicPartition> owned = this.partitions.get();
		if (topic == null || owned.isEmpty()) {
			return;
		}
		Admin admin = this.admins.get();
		try {
			Map<TopicPartition, Long> below = oldEnough(admin, owned);
			for (String group : this.groups) {
				Map<TopicPartition, OffsetAndMetadata> commits = get(
						admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
				below.replaceAll((partition, offset) -> Math.min(offset, committed(commits.get(partition), topic)));
			}
			Map<TopicPartition, Long> starts = offsets(admin, owned, OffsetSpec.earliest());
			below.entrySet()
				.removeIf((partition) -> partition.getValue() <= starts.getOrDefault(partition.getKey(), 0L));
			if (!below.isEmpty()) {
				get(admin
					.deleteRecords(below.entrySet()
						.stream()
						.collect(Collectors.toMap(Map.Entry::getKey,
								(partition) -> RecordsToDelete.beforeOffset(partition.getValue()))))
					.all());
				logger.debug("Deleted delivered orders below {}", below);
			}
		}
		finally {
			// Does not wait for what has no answer.
			admin.close(Duration.ZERO);
		}
	}

	/** The first offset of each partition within the retention, or its end. */
	private Map<TopicPartition, Long> oldEnough(Admin admin, Set<TopicPartition> owned)
			throws InterruptedException, ExecutionException, TimeoutException {
		// Reads the end first: records that arrive later are within the retention.
		Map<TopicPartition, Long> below = new HashMap<>(offsets(admin, owned, OffsetSpec.latest()));
		long youngest = this.clock.instant().minus(this.retention).toEpochMilli();
		offsets(admin, owned, OffsetSpec.forTimestamp(youngest)).forEach((partition, offset) -> {
			if (offset >= 0) {
				below.merge(partition, offset, Math::min);
			}
		});
		return below;
	}

	private static long committed(@Nullable OffsetAndMetadata commit, Uuid topic) {
		return (commit != null && CommitMetadata.parse(commit.metadata()).isOf(topic)) ? commit.offset() : 0;
	}

	private static Map<TopicPartition, Long> offsets(Admin admin, Set<TopicPartition> partitions, OffsetSpec spec)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, ListOffsetsResultInfo> offsets = get(
				admin.listOffsets(partitions.stream().collect(Collectors.toMap((of) -> of, (_) -> spec))).all());
		return offsets.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (partition) -> partition.getValue().offset()));
	}

	private static <T> T get(KafkaFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
		return future.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
	}

	@Override
	public void stop() {
		if (this.thread != null) {
			this.thread.interrupt();
			this.thread = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.thread != null;
	}

}
