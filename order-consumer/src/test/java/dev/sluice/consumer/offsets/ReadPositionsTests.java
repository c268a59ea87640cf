package dev.sluice.consumer.offsets;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.consumer.offsets.LostRecords.Gap;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A log from 10 to 100. */
class ReadPositionsTests {

	private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

	private static final Uuid TOPIC = Uuid.randomUuid();

	private final MockConsumer<byte[], byte[]> kafka = new MockConsumer<>("none");

	private final List<Gap> gaps = new ArrayList<>();

	@BeforeEach
	void assign() {
		this.kafka.assign(Set.of(PARTITION));
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 10L));
		this.kafka.updateEndOffsets(Map.of(PARTITION, 100L));
		// The consumer moves, wherever it is.
		this.kafka.seek(PARTITION, 77);
	}

	@Test
	void goesOnFromACommitThatNamesNoTopic() {
		this.kafka.commitSync(Map.of(PARTITION, new OffsetAndMetadata(50)));

		begin(ReadPositions.Start.AT_ZERO);

		assertThat(this.kafka.position(PARTITION)).isEqualTo(50);
	}

	@Test
	void goesOnFromACommitAtTheLogStartOrAtTheEnd() {
		for (long offset : List.of(10L, 100L)) {
			OffsetAndMetadata commit = new OffsetAndMetadata(offset,
					CommitMetadata.of(List.of(TOPIC), "finished above").text());
			this.kafka.commitSync(Map.of(PARTITION, commit));

			assertThat(begin(ReadPositions.Start.AT_ZERO)).containsEntry(PARTITION, commit);

			assertThat(this.kafka.position(PARTITION)).isEqualTo(offset);
			assertThat(this.kafka.committed(Set.of(PARTITION))).containsEntry(PARTITION, commit);
		}
		assertThat(this.gaps).isEmpty();
	}

	@Test
	void asksAgainWhenItIsWokenUp() {
		AtomicBoolean woken = new AtomicBoolean();
		MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none") {

			@Override
			public synchronized Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions,
					Duration timeout) {
				if (woken.compareAndSet(false, true)) {
					throw new WakeupException();
				}
				return Map.of(PARTITION, 10L);
			}

		};

		consumer.assign(Set.of(PARTITION));
		new ReadPositions(consumer, Map.of(), ReadPositions.Start.AT_ZERO).skip(outOfRange(7), this.gaps::add);

		assertThat(this.gaps).containsExactly(new Gap(PARTITION, 7, 10));
		assertThat(woken).isTrue();
	}

	@Test
	void tellsWhatIsGoneBehindTheCommit() {
		commit(4, TOPIC);

		begin(ReadPositions.Start.ANYWHERE);

		assertThat(this.kafka.position(PARTITION)).isEqualTo(10);
		assertThat(this.gaps).containsExactly(new Gap(PARTITION, 4, 10));
		assertThat(committed()).isEqualTo(10);
	}

	@ParameterizedTest
	@EnumSource
	void withoutACommitEverythingBeforeTheLogStartIsLostToTheDelivery(ReadPositions.Start first) {
		begin(first);

		assertThat(this.kafka.position(PARTITION)).isEqualTo(10);
		assertThat(this.gaps)
			.isEqualTo((first == ReadPositions.Start.AT_ZERO) ? List.of(new Gap(PARTITION, 0, 10)) : List.of());
		assertThat(committed()).isEqualTo(10);
	}

	@Test
	void readsANewTopicFromItsBeginning() {
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		commit(50, Uuid.randomUuid());

		assertThat(begin(ReadPositions.Start.AT_ZERO)).isEmpty();

		assertThat(this.kafka.position(PARTITION)).isZero();
		assertThat(this.gaps).isEmpty();
		assertThat(committed()).isZero();
	}

	@Test
	void readsFromTheBeginningWhereTheCommitIsBeyondTheEnd() {
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		commit(101, TOPIC);

		assertThat(begin(ReadPositions.Start.AT_ZERO)).isEmpty();

		assertThat(this.kafka.position(PARTITION)).isZero();
	}

	@Test
	void skipsADeletedRangeOnlyBelowTheLogStart() {
		ReadPositions positions = positions(ReadPositions.Start.AT_ZERO);

		positions.skip(outOfRange(7), this.gaps::add);
		assertThat(this.gaps).containsExactly(new Gap(PARTITION, 7, 10));
		assertThat(this.kafka.position(PARTITION)).isEqualTo(10);

		OffsetOutOfRangeException beyondTheEnd = outOfRange(101);
		assertThatExceptionOfType(OffsetOutOfRangeException.class)
			.isThrownBy(() -> positions.skip(beyondTheEnd, this.gaps::add))
			.isSameAs(beyondTheEnd);
		assertThat(this.gaps).hasSize(1);
	}

	@Test
	void aCommitNamesItsTopicsAndLeavesRoomForTheRest() {
		CommitMetadata metadata = CommitMetadata.of(List.of(TOPIC, Uuid.randomUuid()), "finished-1:1,1");

		assertThat(CommitMetadata.parse(metadata.text())).isEqualTo(metadata);
		assertThat(metadata.isOf(TOPIC)).isTrue();
		assertThat(metadata.isOf(Uuid.randomUuid())).isFalse();
		assertThat(CommitMetadata.parse("finished-1:1,1").rest()).isEqualTo("finished-1:1,1");
		assertThat(CommitMetadata.parse("finished-1:1,1").isOf(TOPIC)).isTrue();
		// Brokers accept 4,096 bytes, of which the delivery uses 4,000.
		assertThat(CommitMetadata.of(List.of(TOPIC, TOPIC), "").text()).hasSizeLessThanOrEqualTo(96);
	}

	private static OffsetOutOfRangeException outOfRange(long position) {
		return new OffsetOutOfRangeException(Map.of(PARTITION, position));
	}

	private Map<TopicPartition, OffsetAndMetadata> begin(ReadPositions.Start first) {
		return positions(first).begin(Set.of(PARTITION), this.gaps::add);
	}

	private ReadPositions positions(ReadPositions.Start first) {
		return new ReadPositions(this.kafka, Map.of(PARTITION.topic(), TOPIC), first);
	}

	private void commit(long offset, Uuid topic) {
		this.kafka
			.commitSync(Map.of(PARTITION, new OffsetAndMetadata(offset, CommitMetadata.of(List.of(topic), "").text())));
	}

	private long committed() {
		OffsetAndMetadata commit = this.kafka.committed(Set.of(PARTITION)).get(PARTITION);
		assertThat(CommitMetadata.parse(commit.metadata()).isOf(TOPIC)).isTrue();
		return commit.offset();
	}

}
