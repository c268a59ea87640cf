package dev.sluice.gateway.core.queue;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KnownOrdersTests {

	private static final TopicPartition ORDERS = new TopicPartition(Topics.ORDERS, 0);

	private static final TopicPartition OUTCOMES = new TopicPartition(Topics.ORDER_OUTCOMES, 0);

	private static final UUID ID = new UUID(0, 1);

	private static final UUID OTHER_ID = new UUID(0, 2);

	private static final UUID THIRD_ID = new UUID(0, 3);

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00Z");

	private static final Fingerprint PAYLOAD = Fingerprint.ofJson(new byte[] { '1' });

	private static final Fingerprint OTHER = Fingerprint.ofJson(new byte[] { '2' });

	private final KnownOrders orders = new KnownOrders(2);

	private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

	@BeforeEach
	void assign() {
		this.consumer.updateBeginningOffsets(Map.of(ORDERS, 0L, OUTCOMES, 0L));
		this.consumer.updateEndOffsets(Map.of(ORDERS, 0L, OUTCOMES, 0L));
		this.orders.assign(Set.of(ORDERS, OUTCOMES), Map.of(), this.consumer);
	}

	@Test
	void keepsAnOrderUntilItsLastRecordIsCommitted() {
		read(accepted(ID, 0), accepted(ID, 1));

		this.orders.commit(Map.of(ORDERS, 1L));
		assertThat(this.orders.acceptance(ID)).isNotNull();

		this.orders.commit(Map.of(ORDERS, 2L));
		assertThat(this.orders.acceptance(ID)).isNull();
	}

	@Test
	void dropsTheOldestAndIsNotCompleteUntilThatIsCommitted() {
		this.orders.atEnd(this.orders.parts());
		assertThat(this.orders.isKnown(this.orders.parts())).isTrue();
		assertThat(this.orders.withoutKafka()).isEqualTo(Reading.UNREACHABLE);

		read(accepted(ID, 0), accepted(OTHER_ID, 1), accepted(THIRD_ID, 2));

		assertThat(this.orders.isKnown(this.orders.parts())).isFalse();
		assertThat(this.orders.withoutKafka()).isEqualTo(Reading.BEHIND);
		assertThat(this.orders.acceptance(ID)).isNull();
		assertThat(this.orders.size()).isEqualTo(2);
		assertThat(KnownOrders.isComplete(this.orders.parts())).isFalse();

		this.orders.commit(Map.of(ORDERS, 1L));
		assertThat(KnownOrders.isComplete(this.orders.parts())).isTrue();
	}

	@Test
	void beginsWithTheOldestOrdersThatCanBeKept() {
		TopicPartition busy = new TopicPartition(Topics.ORDERS, 1);
		KnownOrders two = new KnownOrders(200);
		this.consumer.updateBeginningOffsets(Map.of(busy, 500L));
		this.consumer.updateEndOffsets(Map.of(ORDERS, 100L, busy, 800L, OUTCOMES, 9_000L));

		two.assign(Set.of(ORDERS, busy, OUTCOMES), Map.of(busy, 400L, OUTCOMES, 10L), this.consumer);

		assertThat(this.consumer.position(ORDERS)).isEqualTo(50);
		assertThat(this.consumer.position(busy)).isEqualTo(650);
		assertThat(this.consumer.position(OUTCOMES)).isEqualTo(10);
		assertThat(KnownOrders.isComplete(two.parts())).isFalse();
		two.commit(Map.of(ORDERS, 50L, busy, 650L, OUTCOMES, 10L));
		assertThat(KnownOrders.isComplete(two.parts())).isTrue();
	}

	@Test
	void beginsAtTheCommittedOffsetIfAllCanBeKept() {
		KnownOrders many = new KnownOrders(200);
		this.consumer.updateBeginningOffsets(Map.of(ORDERS, 700L));
		this.consumer.updateEndOffsets(Map.of(ORDERS, 900L));

		many.assign(Set.of(ORDERS), Map.of(ORDERS, 600L), this.consumer);

		assertThat(many.parts().get(ORDERS).position()).isEqualTo(600);
		assertThat(KnownOrders.isComplete(many.parts())).isTrue();
	}

	@Test
	void leavesOutWhatTheProjectionHasAlready() {
		this.orders.commit(Map.of(ORDERS, 8L));

		read(accepted(ID, 0));

		assertThat(this.orders.acceptance(ID)).isNull();
	}

	/** The reader then begins again. */
	@Test
	void forgetsWhatWasWrittenToALogThatIsShorterThanItWas() {
		read(accepted(ID, 0), accepted(OTHER_ID, 1));
		this.consumer.seek(ORDERS, 0);

		this.orders.advance(this.consumer);

		assertThat(this.orders.size()).isZero();
		assertThat(this.orders.parts()).isEmpty();
	}

	@Test
	void forgetsEverythingIfTheProjectionHasGoneBack() {
		this.orders.commit(Map.of(ORDERS, 2L));
		assertThat(this.orders.parts()).isNotEmpty();

		this.orders.commit(Map.of(ORDERS, 1L));

		assertThat(this.orders.parts()).isEmpty();
	}

	/** It may be read at any moment, or may have been read and forgotten. */
	@Test
	void keepsWhatTheGatewayWroteUntilItIsReadOrCommitted() {
		this.orders.accepted(accepted(ID, 0), 0);
		this.orders.publishing(OTHER_ID, PAYLOAD, TIME);
		this.orders.published(OTHER_ID, outcome(0));
		this.orders.commit(Map.of());
		assertThat(this.orders.acceptance(ID)).isNotNull();
		assertThat(this.orders.syncSave(OTHER_ID)).isEqualTo(new RecentRecord(OTHER_ID, PAYLOAD, TIME, 0));

		this.orders.commit(Map.of(ORDERS, 1L, OUTCOMES, 1L));

		assertThat(this.orders.acceptance(ID)).isNull();
		assertThat(this.orders.syncSave(OTHER_ID)).isNull();
	}

	@Test
	void doesNotKeepWhatWasReadBeforeItsAcknowledgementCame() {
		this.orders.publishing(OTHER_ID, PAYLOAD, TIME);
		this.orders.commit(Map.of(ORDERS, 1L, OUTCOMES, 1L));

		this.orders.accepted(accepted(ID, 0), 0);
		this.orders.published(OTHER_ID, outcome(0));

		assertThat(this.orders.acceptance(ID)).isNull();
		assertThat(this.orders.syncSave(OTHER_ID)).isNull();
	}

	@Test
	void believesAnOutcomeThatItHasRead() {
		RecentRecord save = new RecentRecord(ID, PAYLOAD, TIME, 0);
		this.orders.publishing(ID, null, TIME.plusSeconds(1));

		this.orders.add(OUTCOMES, save);

		assertThat(this.orders.syncSave(ID)).isEqualTo(save);
	}

	@Test
	void keepsNoUnfinishedOutcomeButThoseOnTheirWayWhenItBeginsAgain() {
		this.orders.publishing(ID, null, TIME);
		this.orders.publishing(OTHER_ID, null, TIME);
		this.orders.published(OTHER_ID, outcome(5));

		this.orders.clear();

		assertThat(this.orders.syncSave(ID)).isNotNull();
		assertThat(this.orders.syncSave(OTHER_ID)).isNull();
		this.orders.published(ID, null);
		assertThat(this.orders.syncSave(ID)).isNull();
	}

	@Test
	void takesTheFirstPayloadInTheTopicHoweverItLearnsOfThem() {
		this.orders.accepted(new RecentRecord(ID, OTHER, TIME.plusSeconds(9), 4), 0);
		this.orders.add(ORDERS, accepted(ID, 1));

		assertThat(this.orders.acceptance(ID)).isEqualTo(new RecentRecord(ID, PAYLOAD, TIME, TIME, 1, 4));
	}

	@Test
	void takesAnotherAcceptanceOfTheSamePayloadForARedelivery() {
		read(accepted(ID, 1), new RecentRecord(ID, PAYLOAD, TIME.plusSeconds(9), 4));

		assertThat(this.orders.acceptance(ID))
			.isEqualTo(new RecentRecord(ID, PAYLOAD, TIME, TIME.plusSeconds(9), 1, 4));
	}

	private void read(RecentRecord... records) {
		for (RecentRecord record : records) {
			this.orders.add(ORDERS, record);
			this.consumer.seek(ORDERS, record.lastOffset() + 1);
		}
		this.consumer.seek(OUTCOMES, 0);
		this.orders.advance(this.consumer);
	}

	private static RecordMetadata outcome(long offset) {
		return new RecordMetadata(OUTCOMES, offset, 0, 0, 0, 0);
	}

	private static RecentRecord accepted(UUID id, long offset) {
		return new RecentRecord(id, PAYLOAD, TIME, offset);
	}

}
