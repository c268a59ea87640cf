package dev.sluice.sink.store;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.google.protobuf.ByteString;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.TopicRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Without a broker. Where reading the end of the topic takes time, the test controls it.
 */
class SinkTopicTests {

	private static final int HORIZON = 3;

	private static final TopicPartition PARTITION = new TopicPartition("sink", 0);

	private static final long RECORDS = 20;

	private final MockConsumer<byte[], Integer> consumer = new MockConsumer<>("earliest");

	private final AtomicLong nanoTime = new AtomicLong();

	private final List<Long> read = new ArrayList<>();

	private final FakeBrokers brokers = new FakeBrokers();

	private final RecentIds recent = new RecentIds(HORIZON);

	private final SinkTopic topic = this.brokers.topic(this.recent);

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

	@Test
	void isReadNoFurtherThanToItsEnd() {
		this.consumer.seek(PARTITION, RECORDS + 5);

		readTo(RECORDS);

		assertThat(this.consumer.position(PARTITION)).isEqualTo(RECORDS + 5);
	}

	@Test
	void isReadToTheEndOfEachPartitionAlsoIfAnotherGoesOnBehindItsEnd() {
		TopicPartition other = new TopicPartition("sink", 1);
		this.consumer.assign(List.of(PARTITION, other));
		this.consumer.updateBeginningOffsets(Map.of(PARTITION, 0L, other, 0L));
		this.consumer.seek(other, RECORDS + 5);
		this.consumer
			.schedulePollTask(() -> this.consumer.addRecord(new ConsumerRecord<>("sink", 0, 0, new byte[0], 0)));

		SinkTopic.readTo(Map.of(PARTITION, 1L, other, RECORDS), this.consumer, this.nanoTime::get, () -> true,
				(record) -> this.read.add(record.offset()));

		assertThat(this.read).containsExactly(0L);
	}

	@Test
	void remembersTheLastMessagesOfEachPartition() {
		TopicPartition long0 = this.brokers.partition(0, 20);
		TopicPartition short1 = this.brokers.partition(4, 6);
		for (int offset = 0; offset < 20; offset += 2) {
			this.brokers.records(record(0, offset, "a" + offset, 100 + offset));
		}
		// A marker of a transaction is at the end.
		this.brokers.records(record(0, 19, "end", 0), record(1, 4, "b4", 204), record(1, 5, "b5", 205));
		List<Long> begins = new ArrayList<>();
		this.brokers.firstPoll = (consumer) -> begins
			.addAll(List.of(consumer.position(long0), consumer.position(short1)));

		read(this.topic);

		assertThat(begins).as("a message takes two offsets at most").containsExactly(20L - 2 * HORIZON, 4L);
		assertThat(checksum("a14")).as("older than the last three").isNull();
		assertThat(checksum("a18")).isEqualTo(Content.checksum(id("a18"), ByteString.EMPTY, 118));
		assertThat(checksum("b4")).isEqualTo(Content.checksum(id("b4"), ByteString.EMPTY, 204));
		assertThat(this.recent.size()).isEqualTo(HORIZON + 2);
		assertThat(this.brokers.consumers).singleElement()
			.satisfies((consumer) -> assertThat(consumer.closed()).isTrue());
	}

	@Test
	void remembersOnlyWhatIsKnownByItsIdAndWhoseItIs() {
		this.brokers.partition(0, 4);
		ConsumerRecord<byte[], Integer> owned = record(0, 3, "owned", 1);
		owned.headers().add(TopicRecord.CLIENT, ByteBuffer.allocate(Long.BYTES).putLong(7).array());
		owned.headers().add(TopicRecord.KEY, "key".getBytes());
		ConsumerRecord<byte[], Integer> ofSession = record(0, 2, "of a session", 1);
		ofSession.headers().add(TopicRecord.SEQUENCE, new byte[20]);
		this.brokers.records(new ConsumerRecord<>("sink", 0, 0, null, 1),
				new ConsumerRecord<>("sink", 0, 1, "deleted".getBytes(), null), ofSession, owned);

		read(this.topic);

		assertThat(this.recent.size()).isOne();
		assertThat(this.recent.checksum(RecentIds.Name.of(7, id("owned"))))
			.isEqualTo(Content.checksum(id("owned"), id("key"), 1));
	}

	@Test
	void forgetsTheMessagesOfATopicThatWasDeleted() {
		this.brokers.partition(0, 0);
		this.recent.add(0, RecentIds.Name.of(0, id("old")), 1);
		AtomicInteger told = new AtomicInteger();
		this.topic.onRead(told::incrementAndGet);

		read(this.topic);

		assertThat(this.recent.size()).isZero();
		assertThat(told).hasValue(1);
	}

	@Test
	void isNotReadIfNothingIsToBeRemembered() {
		this.brokers.partition(0, 20);

		read(this.brokers.topic(new RecentIds(0)));

		assertThat(this.brokers.consumers).isEmpty();
	}

	@Test
	void takesMessagesOnceItIsReadAndNoneUntilItIsReadAgain() {
		this.brokers.partition(0, 0);
		Semaphore reads = new Semaphore(0);
		this.topic.onRead(reads::acquire);
		assertThat(this.topic.isRunning()).isFalse();
		assertThat(this.topic.state().ready()).isFalse();

		this.topic.start();
		try {
			await().until(reads::hasQueuedThreads);
			assertThat(this.topic.isRunning()).isTrue();
			assertThat(this.topic.ready()).isFalse();
			reads.release();
			await().until(this.topic::ready);
			assertThat(this.topic.state().ready()).isTrue();

			this.topic.readAgain();
			assertThat(this.topic.ready()).isFalse();
			await().until(reads::hasQueuedThreads);
			reads.release();
			await().until(this.topic::ready);
		}
		finally {
			this.topic.stop();
		}
		assertThat(this.topic.isRunning()).isFalse();
		await().untilAsserted(() -> assertThat(this.brokers.closedAdmins).hasValue(1));
	}

	@Test
	void isReadNoFurtherOnceItIsStopped() {
		this.brokers.partition(0, 20);
		CountDownLatch reading = new CountDownLatch(1);
		this.brokers.firstPoll = (_) -> reading.countDown();
		this.topic.start();
		try {
			await().until(() -> reading.getCount() == 0);
		}
		finally {
			this.topic.stop();
		}

		await().until(() -> this.brokers.consumers.getFirst().closed());
		assertThat(this.topic.ready()).isFalse();
	}

	/** As a watch does that has found the topic. */
	private static void read(SinkTopic topic) {
		topic.start();
		try {
			await().until(topic::ready);
		}
		finally {
			topic.stop();
		}
	}

	private static ConsumerRecord<byte[], Integer> record(int partition, long offset, String id, int payloadCrc) {
		return new ConsumerRecord<>("sink", partition, offset, id.getBytes(), payloadCrc);
	}

	private static ByteString id(String id) {
		return ByteString.copyFromUtf8(id);
	}

	private @Nullable Integer checksum(String id) {
		return this.recent.checksum(RecentIds.Name.of(0, id(id)));
	}

	private void readTo(long end) {
		SinkTopic.readTo(Map.of(PARTITION, end), this.consumer, this.nanoTime::get, () -> true,
				(record) -> this.read.add(record.offset()));
	}

	private void pass(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

}
