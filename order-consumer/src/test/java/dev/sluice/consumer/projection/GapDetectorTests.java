package dev.sluice.consumer.projection;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

import dev.sluice.consumer.offsets.LostRecords.Gap;
import dev.sluice.consumer.offsets.ReadPositions;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The partition begins at 10 and its records below 30 are deleted. */
class GapDetectorTests {

	private static final TopicPartition PARTITION = new TopicPartition(Topics.ORDERS, 0);

	private final MockConsumer<byte[], byte[]> kafka = new MockConsumer<>("earliest");

	private final List<Gap> gaps = new ArrayList<>();

	private final GapDetector detector = new GapDetector();

	@BeforeEach
	void expire() {
		this.kafka.assign(Set.of(PARTITION));
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 30L));
		this.detector.assigned(PARTITION, 10);
	}

	@Test
	void findsOrdersThatWereDeletedBehindTheLastOneRead() {
		check(10, 11, 12);

		check(30, 31);

		assertThat(this.gaps).containsExactly(new Gap(PARTITION, 13, 30));
	}

	@Test
	void findsNoneBetweenOffsetsThatNoRecordEverHad() {
		check(30, 35);

		this.gaps.clear();
		check(40);

		assertThat(this.gaps).isEmpty();
	}

	@Test
	void asksAgainIfKafkaDidNotAnswer() {
		this.kafka.setOffsetsException(new TimeoutException("no answer"));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> check(30, 31));

		check(30, 31);

		assertThat(this.gaps).containsExactly(new Gap(PARTITION, 10, 30));
	}

	@Test
	void tellsAGapOnceHoweverOftenItsRecordsCome() {
		check(10, 11, 30, 31);
		check(10, 11, 30, 31);
		check(30, 31);

		assertThat(this.gaps).containsExactly(new Gap(PARTITION, 12, 30));
	}

	@Test
	void knowsNothingOfAPartitionThatWasRevoked() {
		this.detector.revoked(Set.of(PARTITION));

		check(30);

		assertThat(this.gaps).isEmpty();
	}

	private void check(long... offsets) {
		this.detector.check(LongStream.of(offsets).mapToObj((offset) -> record(PARTITION, offset)).toList(),
				positions(), this.gaps::add);
	}

	private ReadPositions positions() {
		return new ReadPositions(this.kafka, Map.of(), ReadPositions.Start.ANYWHERE);
	}

	private static ConsumerRecord<byte[], byte[]> record(TopicPartition partition, long offset) {
		return new ConsumerRecord<>(partition.topic(), partition.partition(), offset, new byte[0], new byte[0]);
	}

}
