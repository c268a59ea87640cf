package dev.sluice.consumer.delivery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.QueueProperties;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.SimpleAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Why there are as many share consumers as partitions: how the brokers' assignor
 * distributes the partitions, and how fast a backlog is then delivered.
 */
class ShareAssignmentTests {

	private static final Uuid TOPIC = new Uuid(1, 2);

	private static final DeliveryProperties DELIVERY = defaults("delivery", DeliveryProperties.class);

	private static final int PARTITIONS = defaults("queue", QueueProperties.class).partitions();

	@Test
	void byDefaultEachConsumerHasAPartitionOfItsOwn() {
		List<Set<Integer>> assignment = assignment(DELIVERY.consumers());

		assertThat(assignment).hasSize(PARTITIONS).allSatisfy((partitions) -> assertThat(partitions).hasSize(1));
		assertThat(assignment.stream().flatMap(Set::stream)).doesNotHaveDuplicates();
	}

	/** The backlog of these partitions ends last, and no other consumer can help. */
	@Test
	void withFewerConsumersThanPartitionsSomeHaveTwoThatNoOtherReads() {
		List<Set<Integer>> assignment = assignment(10);

		assertThat(assignment).filteredOn((partitions) -> partitions.size() == 2).hasSize(2);
		assertThat(assignment.stream().flatMap(Set::stream)).doesNotHaveDuplicates().hasSize(PARTITIONS);
	}

	/** The delivery times are log-normal. */
	@Test
	void asManyConsumersAsPartitionsKeepTheConcurrencyInUse() {
		assertThat(medianEfficiency(10)).isLessThan(0.85);
		assertThat(medianEfficiency(PARTITIONS)).isGreaterThan(0.9);
	}

	private static double medianEfficiency(int consumers) {
		int backlogs = 101;
		return LongStream.range(0, backlogs)
			.mapToDouble((seed) -> new Backlog(consumers, 3_000, new Random(seed)).efficiency())
			.sorted()
			.skip(backlogs / 2)
			.findFirst()
			.orElseThrow();
	}

	/** Partitions of each consumer of a group that the consumers join one by one. */
	private static List<Set<Integer>> assignment(int consumers) {
		Map<String, Assignment> assigned = new TreeMap<>();
		for (int joined = 1; joined <= consumers; joined++) {
			assigned.put("consumer-%03d".formatted(joined), Assignment.EMPTY);
			Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
			assigned
				.forEach((id, assignment) -> members.put(id, new MemberSubscriptionAndAssignmentImpl(Optional.empty(),
						Optional.empty(), Set.of(TOPIC), assignment)));
			new SimpleAssignor().assign(new GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, Map.of()), new Topic())
				.members()
				.forEach((id, assignment) -> assigned.put(id, new Assignment(assignment.partitions())));
		}
		return assigned.values()
			.stream()
			.map((assignment) -> assignment.partitions().getOrDefault(TOPIC, Set.of()))
			.toList();
	}

	private static <T> T defaults(String prefix, Class<T> type) {
		return new Binder(new MapConfigurationPropertySource()).bindOrCreate(prefix, type);
	}

	private static final class Topic implements SubscribedTopicDescriber {

		@Override
		public int numPartitions(Uuid topicId) {
			return PARTITIONS;
		}

		@Override
		public Set<String> racksForPartition(Uuid topicId, int partition) {
			return Set.of();
		}

	}

	/** A backlog that share consumers deliver. */
	private static final class Backlog {

		/**
		 * As {@code ./lab drain --delays log-normal}: the p99 is ten times the median.
		 */
		private static final double SIGMA = Math.log(10) / 2.3263;

		private final List<Set<Integer>> assignment;

		private final int[] left;

		private final int[] held;

		private final int batch;

		private final Random random;

		private final Queue<Integer> waiting = new ArrayDeque<>();

		private final PriorityQueue<double[]> delivering = new PriorityQueue<>(
				Comparator.comparingDouble((end) -> end[0]));

		private final List<Double> ends = new ArrayList<>();

		Backlog(int consumers, int orders, Random random) {
			this.assignment = assignment(consumers);
			this.left = new int[PARTITIONS];
			this.random = random;
			for (int i = 0; i < orders; i++) {
				this.left[random.nextInt(PARTITIONS)]++;
			}
			this.held = new int[consumers];
			this.batch = 10 * DELIVERY.concurrency() / consumers;
		}

		/** The rate from 30 to 90 % as a share of W/L. */
		double efficiency() {
			IntStream.range(0, this.held.length).forEach(this::poll);
			while (true) {
				while (this.delivering.size() < DELIVERY.concurrency() && !this.waiting.isEmpty()) {
					double now = this.ends.isEmpty() ? 0 : this.ends.getLast();
					this.delivering
						.add(new double[] { now + Math.exp(SIGMA * this.random.nextGaussian() - SIGMA * SIGMA / 2),
								this.waiting.remove() });
				}
				double[] end = this.delivering.poll();
				if (end == null) {
					break;
				}
				this.ends.add(end[0]);
				int consumer = (int) end[1];
				if (--this.held[consumer] == 0) {
					poll(consumer);
				}
			}
			int n = this.ends.size();
			return (n * 6 / 10) / (this.ends.get(n * 9 / 10) - this.ends.get(n * 3 / 10)) / DELIVERY.concurrency();
		}

		private void poll(int consumer) {
			List<Integer> partitions = new ArrayList<>(this.assignment.get(consumer));
			Collections.shuffle(partitions, this.random);
			for (int partition : partitions) {
				int taken = Math.min(this.left[partition], this.batch - this.held[consumer]);
				this.left[partition] -= taken;
				this.held[consumer] += taken;
				for (int i = 0; i < taken; i++) {
					this.waiting.add(consumer);
				}
			}
		}

	}

}
