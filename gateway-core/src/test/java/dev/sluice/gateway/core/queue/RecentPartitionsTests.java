package dev.sluice.gateway.core.queue;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.queue.RecentOrders.Acceptance;
import dev.sluice.gateway.core.queue.RecentOrders.SyncSave;
import dev.sluice.gateway.core.queue.RecentPartitions.Rest;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RecentPartitionsTests {

	private static final TopicPartition ORDERS = new TopicPartition(Topics.ORDERS, 0);

	private static final TopicPartition OUTCOMES = new TopicPartition(Topics.ORDER_OUTCOMES, 0);

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00Z");

	private static final UUID FIRST = new UUID(0, 1);

	private static final UUID SECOND = new UUID(0, 2);

	private static final UUID THIRD = new UUID(0, 3);

	private static final UUID FOURTH = new UUID(0, 4);

	private final Uuid topicId = Uuid.randomUuid();

	private final KnownOrders orders = new KnownOrders();

	private final RecentPartitions partitions = new RecentPartitions(this.orders, 2);

	private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

	@Test
	void beginsWhereTheProjectionIs() {
		assign(snapshot(1, 5, 3));

		assertThat(this.consumer.assignment()).containsExactlyInAnyOrder(ORDERS, OUTCOMES);
		assertThat(this.consumer.position(ORDERS)).isEqualTo(5);
		assertThat(this.consumer.position(OUTCOMES)).isEqualTo(3);
		assertThat(this.partitions.covers(Set.of(Topics.ORDERS, Topics.ORDER_OUTCOMES))).isTrue();
		assertThat(this.partitions.partitions()).containsExactlyInAnyOrder(ORDERS, OUTCOMES);
	}

	@Test
	void readsFromWhatIsCommittedAtOnce() {
		this.partitions.assign(snapshot(1, 5, 3), this.consumer);

		assertThat(this.consumer.position(ORDERS)).isEqualTo(5);
		assertThat(this.partitions.rest(Map.of(ORDERS, 7L))).isEqualTo(new Rest(2, true));
	}

	@Test
	void keepsAnOrderUntilTheProjectionHasPassedIt() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(FIRST, 0));

		this.partitions.commit(snapshot(1, 0, 0), this.consumer);
		assertThat(this.orders.acceptance(FIRST)).isNotNull();
		this.partitions.commit(snapshot(1, 1, 0), this.consumer);

		assertThat(this.orders.acceptance(FIRST)).isNull();
	}

	@Test
	void keepsAnOrderThatALaterRecordSaysAgain() {
		assign(snapshot(1, 0, 0));
		read(2, accepted(FIRST, 0), accepted(FIRST, 1));

		this.partitions.commit(snapshot(1, 1, 0), this.consumer);
		assertThat(this.orders.acceptance(FIRST)).isNotNull();
		this.partitions.commit(snapshot(1, 2, 0), this.consumer);

		assertThat(this.orders.acceptance(FIRST)).isNull();
	}

	@Test
	void forgetsASaveWithItsOutcome() {
		assign(snapshot(1, 0, 0));
		this.consumer.seek(OUTCOMES, 1);
		this.partitions.add(List.of(new RecentRecord(OUTCOMES, 0, 0, FIRST, null, new SyncSave(null, TIME, 0))),
				this.consumer);
		assertThat(this.orders.syncSave(FIRST)).isNotNull();

		this.partitions.commit(snapshot(1, 0, 1), this.consumer);

		assertThat(this.orders.syncSave(FIRST)).isNull();
	}

	@Test
	void dropsTheOldestOrderAndIsNotCompleteUntilTheProjectionHasPassedIt() {
		assign(snapshot(1, 0, 0));
		assertThat(this.partitions.rest(Map.of(ORDERS, 3L))).isEqualTo(new Rest(3, true));

		read(3, accepted(FIRST, 0), accepted(SECOND, 1), accepted(THIRD, 2));

		assertThat(this.orders.acceptance(FIRST)).isNull();
		assertThat(this.orders.acceptance(SECOND)).isNotNull();
		assertThat(this.orders.acceptance(THIRD)).isNotNull();
		assertThat(this.partitions.rest(Map.of(ORDERS, 3L))).isEqualTo(new Rest(0, false));
		this.partitions.commit(snapshot(1, 1, 0), this.consumer);
		assertThat(this.partitions.rest(Map.of(ORDERS, 3L))).isEqualTo(new Rest(0, true));
	}

	@Test
	void dropsAsManyAsAreTooMany() {
		assign(snapshot(1, 0, 0));

		read(4, accepted(FIRST, 0), accepted(SECOND, 1), accepted(THIRD, 2), accepted(FOURTH, 3));

		assertThat(this.orders.size()).isEqualTo(2);
		assertThat(this.orders.acceptance(THIRD)).isNotNull();
		assertThat(this.orders.acceptance(FOURTH)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "10, 20", "20, 10" })
	void dropsTheOldestWhicheverTopicHasIt(long accepted, long saved) {
		assign(snapshot(1, 0, 0));
		this.consumer.seek(ORDERS, 2);
		this.consumer.seek(OUTCOMES, 1);

		this.partitions.add(List.of(accepted(FIRST, 0, accepted), accepted(SECOND, 1, 30),
				new RecentRecord(OUTCOMES, 0, saved, THIRD, null, new SyncSave(null, TIME, 0))), this.consumer);

		assertThat(this.orders.acceptance(FIRST) == null).isEqualTo(accepted < saved);
		assertThat(this.orders.syncSave(THIRD) == null).isEqualTo(saved < accepted);
		assertThat(this.orders.acceptance(SECOND)).isNotNull();
	}

	/** An outcome being published has no record yet that could be dropped. */
	@Test
	void dropsNothingThatItHasNotRead() {
		assign(snapshot(1, 0, 0));
		Stream.of(FIRST, SECOND, THIRD).forEach((id) -> this.orders.publishing(id, null, TIME));

		read(0);

		assertThat(this.orders.size()).isEqualTo(3);
	}

	@Test
	void readsAgainWhatItHasReadWhenTheProjectionGoesBack() {
		assign(snapshot(1, 2, 0));
		read(4, accepted(FIRST, 2), accepted(SECOND, 3));
		this.partitions.commit(snapshot(1, 3, 0), this.consumer);

		this.partitions.commit(snapshot(1, 1, 0), this.consumer);
		assertThat(this.orders.size()).isZero();

		read(4, accepted(THIRD, 1), accepted(SECOND, 3));
		this.partitions.commit(snapshot(1, 2, 0), this.consumer);
		assertThat(this.orders.acceptance(THIRD)).isNull();
		assertThat(this.orders.acceptance(SECOND)).isNotNull();
	}

	@Test
	void readsAgainWhenTheProjectionGoesBack() {
		assign(snapshot(1, 5, 0));

		this.partitions.commit(snapshot(1, 2, 0), this.consumer);

		assertThat(this.consumer.position(ORDERS)).isEqualTo(2);
		assertThat(this.partitions.rest(Map.of(ORDERS, 5L))).isEqualTo(new Rest(3, true));
	}

	@Test
	void leavesOutWhatTheProjectionHasAlready() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(FIRST, 0));

		this.partitions.commit(snapshot(1, 8, 0), this.consumer);

		assertThat(this.orders.size()).isZero();
		assertThat(this.consumer.position(ORDERS)).isEqualTo(8);
	}

	@Test
	void keepsAnOrderOfWhichTheProjectionHasAnEarlierRecordAlone() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(FIRST, 0));
		acknowledge(FIRST, 9);

		this.partitions.commit(snapshot(1, 8, 0), this.consumer);
		assertThat(this.orders.acceptance(FIRST)).isNotNull();
		this.partitions.commit(snapshot(1, 10, 0), this.consumer);

		assertThat(this.orders.size()).isZero();
	}

	@Test
	void startsAgainWithATopicThatWasMadeAgain() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(FIRST, 0));
		TopicsSnapshot again = snapshot(Uuid.randomUuid(), 1, 0, 0);
		assertThat(this.partitions.isOutdated(snapshot(1, 0, 0))).isFalse();
		assertThat(this.partitions.isOutdated(again)).isTrue();

		assign(again);

		assertThat(this.orders.acceptance(FIRST)).isNull();
		assertThat(this.consumer.position(ORDERS)).isZero();
	}

	@Test
	void keepsWhatItKnowsWhenPartitionsAreAdded() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(FIRST, 0));
		TopicsSnapshot more = snapshot(2, 0, 0);
		assertThat(this.partitions.isOutdated(more)).isTrue();

		assign(more);

		assertThat(this.orders.acceptance(FIRST)).isNotNull();
		assertThat(this.consumer.position(ORDERS)).isEqualTo(1);
		assertThat(this.partitions.partitions()).hasSize(3);
	}

	@Test
	void startsAgainWhenTheLogIsShorterThanItWas() {
		assign(snapshot(1, 0, 0));
		read(2, accepted(FIRST, 0), accepted(SECOND, 1));

		read(0);

		assertThat(this.orders.size()).isZero();
		assertThat(this.partitions.rest(Map.of(ORDERS, 1L))).isEqualTo(new Rest(1, true));
	}

	@Test
	void keepsWhatItKnowsWhileNothingComes() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(FIRST, 0));

		read(1);

		assertThat(this.orders.acceptance(FIRST)).isNotNull();
	}

	@Test
	void keepsWhatItReadsOfAShorterLog() {
		assign(snapshot(1, 5, 0));
		read(7, accepted(FIRST, 5), accepted(SECOND, 6));

		read(2);
		read(3, accepted(THIRD, 2));
		this.partitions.commit(snapshot(1, 2, 0), this.consumer);

		assertThat(this.orders.acceptance(THIRD)).isNotNull();
		assertThat(this.partitions.rest(Map.of(ORDERS, 3L))).isEqualTo(new Rest(0, true));
	}

	/** The offset of its acknowledgement belongs to the longer log. */
	@Test
	void keepsAnOrderThatIsAcceptedAgainInAShorterLog() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(SECOND, 0));
		acknowledge(FIRST, 3);

		read(0);
		read(2, accepted(FIRST, 1));
		read(4);

		assertThat(this.orders.acceptance(FIRST)).isNotNull();
	}

	@Test
	void whatIsStillToBeReadIsKnownOnceItIsAcknowledged() {
		assign(snapshot(1, 5, 0));

		assertThat(this.partitions.acknowledge(ORDERS, 4, THIRD)).isFalse();
		assertThat(this.partitions.acknowledge(ORDERS, 5, THIRD)).isTrue();
		assertThat(this.partitions.acknowledge(new TopicPartition(Topics.ORDERS, 9), 5, THIRD)).isFalse();
		this.orders.accept(FIRST, accepted(FIRST, 5).acceptance());
		this.orders.accept(SECOND, accepted(SECOND, 6).acceptance());
		assertThat(this.partitions.acknowledge(ORDERS, 7, THIRD)).isFalse();
	}

	/** Otherwise nothing would ever forget it. */
	@Test
	void forgetsWhatWasAcknowledgedIfTheProjectionPassesItFirst() {
		assign(snapshot(1, 0, 0));
		acknowledge(FIRST, 0);
		acknowledge(SECOND, 1);

		this.partitions.commit(snapshot(1, 1, 0), this.consumer);

		assertThat(this.orders.acceptance(FIRST)).isNull();
		assertThat(this.orders.acceptance(SECOND)).isNotNull();
		read(2, accepted(SECOND, 1));
		assertThat(this.orders.acceptance(SECOND)).isNotNull();
		this.partitions.commit(snapshot(1, 2, 0), this.consumer);
		assertThat(this.orders.size()).isZero();
	}

	@Test
	void forgetsWhatWasAcknowledgedIfKafkaDeletesItFirst() {
		assign(snapshot(1, 0, 0));
		acknowledge(FIRST, 0);

		read(3);

		assertThat(this.orders.size()).isZero();
	}

	@Test
	void forgetsWhatWasAcknowledgedInATopicThatWasMadeAgain() {
		assign(snapshot(1, 0, 0));
		acknowledge(FIRST, 3);

		assign(snapshot(Uuid.randomUuid(), 1, 0, 0));

		assertThat(this.orders.size()).isZero();
	}

	@Test
	void forgetsAllThatItHasRead() {
		assign(snapshot(1, 0, 0));
		read(1, accepted(FIRST, 0));

		this.partitions.clear();

		assertThat(this.orders.size()).isZero();
		assertThat(this.partitions.covers(Set.of(Topics.ORDERS))).isFalse();
		assertThat(this.partitions.partitions()).isEmpty();
	}

	private void assign(TopicsSnapshot snapshot) {
		this.partitions.assign(snapshot, this.consumer);
		this.partitions.commit(snapshot, this.consumer);
	}

	private void acknowledge(UUID id, long offset) {
		assertThat(this.partitions.acknowledge(ORDERS, offset, id)).isTrue();
		this.orders.accept(id, accepted(id, offset).acceptance());
	}

	/** Reads records of {@link #ORDERS} up to the given position. */
	private void read(long position, RecentRecord... records) {
		this.consumer.seek(ORDERS, position);
		this.partitions.add(List.of(records), this.consumer);
	}

	private static RecentRecord accepted(UUID id, long offset) {
		return accepted(id, offset, offset);
	}

	private static RecentRecord accepted(UUID id, long offset, long timestamp) {
		return new RecentRecord(ORDERS, offset, timestamp, id, new Acceptance(null, TIME, TIME, offset, offset), null);
	}

	private TopicsSnapshot snapshot(int partitions, long orders, long outcomes) {
		return snapshot(this.topicId, partitions, orders, outcomes);
	}

	private static TopicsSnapshot snapshot(Uuid id, int partitions, long orders, long outcomes) {
		Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
		committed.put(ORDERS, new OffsetAndMetadata(orders));
		committed.put(OUTCOMES, new OffsetAndMetadata(outcomes));
		return new TopicsSnapshot(List.of(topic(Topics.ORDERS, id, partitions), topic(Topics.ORDER_OUTCOMES, id, 1)),
				committed);
	}

	private static TopicDescription topic(String name, Uuid id, int partitions) {
		Node node = new Node(0, "none", 1);
		return new TopicDescription(name, false,
				IntStream.range(0, partitions)
					.mapToObj((partition) -> new TopicPartitionInfo(partition, node, List.of(node), List.of(node)))
					.toList(),
				Set.of(), id);
	}

}
