package dev.sluice.consumer.offsets;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.consumer.offsets.LostRecords.Reader;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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

	private final LostRecords lost = new LostRecords(new SimpleMeterRegistry());

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

		begin(Reader.DELIVERY);

		assertThat(this.kafka.position(PARTITION)).isEqualTo(50);
	}

	@Test
	void goesOnFromACommitAtTheLogStartOrAtTheEnd() {
		for (long offset : List.of(10L, 100L)) {
			OffsetAndMetadata commit = new OffsetAndMetadata(offset,
					CommitMetadata.of(List.of(TOPIC), "finished above").text());
			this.kafka.commitSync(Map.of(PARTITION, commit));

			assertThat(begin(Reader.DELIVERY)).containsOnlyKeys(PARTITION);

			assertThat(this.kafka.position(PARTITION)).isEqualTo(offset);
			assertThat(this.kafka.committed(Set.of(PARTITION))).containsEntry(PARTITION, commit);
		}
		assertThat(this.lost.isEmpty()).isTrue();
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
		new ReadPositions(consumer, Map.of(), Reader.DELIVERY, this.lost).skip(outOfRange(7));

		assertThat(this.lost.details()).containsEntry("delivery: orders-0", "3 records below offset 10");
		assertThat(woken).isTrue();
	}

	@Test
	void tellsWhatIsGoneBehindTheCommit() {
		commit(4, TOPIC);

		begin(Reader.PROJECTION);

		assertThat(this.kafka.position(PARTITION)).isEqualTo(10);
		assertThat(this.lost.details()).containsEntry("projection: orders-0", "6 records below offset 10");
		assertThat(committed()).isEqualTo(10);
	}

	@ParameterizedTest
	@EnumSource
	void withoutACommitEverythingBeforeTheLogStartIsLostToTheDelivery(Reader reader) {
		begin(reader);

		assertThat(this.kafka.position(PARTITION)).isEqualTo(10);
		assertThat(this.lost.details()).isEqualTo(
				(reader == Reader.DELIVERY) ? Map.of("delivery: orders-0", "10 records below offset 10") : Map.of());
		assertThat(committed()).isEqualTo(10);
	}

	@Test
	void readsANewTopicFromItsBeginning() {
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		commit(50, Uuid.randomUuid());

		assertThat(begin(Reader.DELIVERY)).isEmpty();

		assertThat(this.kafka.position(PARTITION)).isZero();
		assertThat(this.lost.isEmpty()).isTrue();
		assertThat(committed()).isZero();
	}

	@Test
	void readsFromTheBeginningWhereTheCommitIsBeyondTheEnd() {
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		commit(101, TOPIC);

		assertThat(begin(Reader.DELIVERY)).isEmpty();

		assertThat(this.kafka.position(PARTITION)).isZero();
	}

	@Test
	void skipsADeletedRangeOnlyBelowTheLogStart() {
		ReadPositions positions = positions(Reader.DELIVERY);

		positions.skip(outOfRange(7));
		assertThat(this.lost.details()).containsEntry("delivery: orders-0", "3 records below offset 10");
		assertThat(this.kafka.position(PARTITION)).isEqualTo(10);

		OffsetOutOfRangeException beyondTheEnd = outOfRange(101);
		assertThatExceptionOfType(OffsetOutOfRangeException.class).isThrownBy(() -> positions.skip(beyondTheEnd))
			.isSameAs(beyondTheEnd);
		assertThat(this.lost.details()).hasSize(1);
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
		assertThat(CommitMetadata.of(List.of(TOPIC, Uuid.randomUuid(), Uuid.randomUuid()), "").text())
			.hasSizeLessThanOrEqualTo(96);
	}

	private static OffsetOutOfRangeException outOfRange(long position) {
		return new OffsetOutOfRangeException(Map.of(PARTITION, position));
	}

	private Map<TopicPartition, FinishedOffsets> begin(Reader reader) {
		return positions(reader).begin(Set.of(PARTITION));
	}

	private ReadPositions positions(Reader reader) {
		return new ReadPositions(this.kafka, Map.of(PARTITION.topic(), TOPIC), reader, this.lost);
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
