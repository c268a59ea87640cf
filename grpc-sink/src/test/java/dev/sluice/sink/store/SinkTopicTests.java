package dev.sluice.sink.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Reading the end of the topic. The test controls time. */
class SinkTopicTests {

	private static final TopicPartition PARTITION = new TopicPartition("sink", 0);

	private static final long RECORDS = 20;

	private final MockConsumer<byte[], Integer> consumer = new MockConsumer<>("earliest");

	private final AtomicLong nanoTime = new AtomicLong();

	private final List<Long> read = new ArrayList<>();

	@BeforeEach
	void assign() {
		this.consumer.assign(List.of(PARTITION));
		this.consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
	}

	@Test
	void isReadHoweverLongItTakesWhileSomethingComes() {
		for (long i = 0; i < RECORDS; i++) {
			long offset = i;
			this.consumer.schedulePollTask(() -> {
				pass(SinkTopic.READ_TIMEOUT);
				this.consumer.addRecord(new ConsumerRecord<>("sink", 0, offset, new byte[0], 0));
			});
		}

		readTo(RECORDS);

		assertThat(this.read).hasSize((int) RECORDS);
	}

	@Test
	void isGivenUpWhenNothingComes() {
		this.consumer
			.schedulePollTask(() -> this.consumer.addRecord(new ConsumerRecord<>("sink", 0, 0, new byte[0], 0)));
		this.consumer.schedulePollTask(() -> pass(SinkTopic.READ_TIMEOUT));
		this.consumer.schedulePollTask(() -> pass(Duration.ofNanos(1)));

		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> readTo(RECORDS))
			.withMessageContaining("19 offsets are left");
	}

	private void readTo(long end) {
		SinkTopic.readTo(Map.of(PARTITION, end), this.consumer, this.nanoTime::get, () -> true,
				(record) -> this.read.add(record.offset()));
	}

	private void pass(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

}
