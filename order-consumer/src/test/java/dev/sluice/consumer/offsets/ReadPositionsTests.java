package dev.sluice.consumer.offsets;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

	/** The commit may name this topic, a deleted one or none. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "none", textBlock = """
			 50  | unnamed | 10 | DELIVERY   | true  |  50 |  0
			 10  | this    | 10 | DELIVERY   | true  |  10 |  0
			100  | this    | 10 | DELIVERY   | true  | 100 |  0
			  4  | this    | 10 | PROJECTION | true  |  10 |  6
			none | none    | 10 | DELIVERY   | false |  10 | 10
			none | none    | 10 | PROJECTION | false |  10 |  0
			 50  | deleted |  0 | DELIVERY   | false |   0 |  0
			101  | this    |  0 | DELIVERY   | false |   0 |  0
			""")
	void beginsAtAValidCommitOrAtTheLogStart(@Nullable Long commit, @Nullable String topic, long start, Reader reader,
			boolean valid, long position, int lost) {
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, start));
		OffsetAndMetadata before = null;
		if (commit != null) {
			before = new OffsetAndMetadata(commit, switch (topic) {
				case "this" -> CommitMetadata.of(List.of(TOPIC), "finished above").text();
				case "deleted" -> CommitMetadata.of(List.of(Uuid.randomUuid()), "").text();
				default -> "";
			});
			this.kafka.commitSync(Map.of(PARTITION, before));
		}

		assertThat(positions(reader).begin(Set.of(PARTITION)).containsKey(PARTITION)).isEqualTo(valid);

		assertThat(this.kafka.position(PARTITION)).isEqualTo(position);
		assertThat(this.lost.details())
			.isEqualTo((lost > 0) ? Map.of(reader.name().toLowerCase(Locale.ROOT) + ": orders-0",
					"%s records below offset 10".formatted(lost)) : Map.of());
		OffsetAndMetadata after = this.kafka.committed(Set.of(PARTITION)).get(PARTITION);
		if (valid && commit == position) {
			assertThat(after).isEqualTo(before);
		}
		else {
			assertThat(after.offset()).isEqualTo(position);
			assertThat(CommitMetadata.parse(after.metadata()).topicIds()).containsExactly(TOPIC.toString());
		}
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

	private ReadPositions positions(Reader reader) {
		return new ReadPositions(this.kafka, Map.of(PARTITION.topic(), TOPIC), reader, this.lost);
	}

}
