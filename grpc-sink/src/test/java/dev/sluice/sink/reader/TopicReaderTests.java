package dev.sluice.sink.reader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.Contents;
import dev.sluice.sink.format.TopicRecord;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TopicReaderTests {

	private static final TopicPartition PARTITION = new TopicPartition(Topics.SINK, 0);

	private static final ByteString SESSION = ByteString.copyFromUtf8("session-a");

	private final MockConsumer<byte[], byte[]> kafka = new MockConsumer<>("earliest");

	/** Lines that the example logs. */
	private final List<String> lines = new ArrayList<>();

	@Test
	void readsWhatIsStoredOfEachMessage() {
		this.kafka.updatePartitions(Topics.SINK,
				List.of(new PartitionInfo(Topics.SINK, 0, Node.noNode(), new Node[0], new Node[0])));
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		this.kafka.updateEndOffsets(Map.of(PARTITION, 2L));
		TopicReader reader = TopicReader.all(this.kafka);
		add(0, "a", "key", null, 0);
		add(1, "b", "", SESSION, 7);

		assertThat(reader.lag()).isEqualTo(2);
		StoredMessage first = next(reader);
		StoredMessage second = next(reader);

		assertThat(first.id().toStringUtf8()).isEqualTo("a");
		assertThat(first.key().toStringUtf8()).isEqualTo("key");
		assertThat(first.payload()).isEqualTo("payload of a".getBytes());
		assertThat(first.session()).isNull();
		assertThat(first.storedAt().toEpochMilli()).isEqualTo(1_000);
		assertThat(second.session()).isEqualTo(SESSION);
		assertThat(second.sequence()).isEqualTo(7);
		assertThat(second.offset()).isEqualTo(1);
		assertThat(reader.next(Duration.ZERO)).isNull();
		assertThat(reader.lag()).isZero();
	}

	@Test
	void theExampleConsumesCommitsAndSaysItsLag() {
		AtomicLong nanoTime = new AtomicLong();
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		List<String> consumed = new ArrayList<>();
		TopicReader reader = TopicReader.group(this.kafka);
		this.kafka.rebalance(List.of(PARTITION));
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		this.kafka.updateEndOffsets(Map.of(PARTITION, 10L));
		ExampleConsumer consumer = new ExampleConsumer(reader, (message) -> consumed.add(message.id().toStringUtf8()),
				this.lines::add, registry, nanoTime::get);
		add(0, "a", "", null, 0);
		add(1, "b", "", null, 0);

		consumer.step();
		double lag = registry.get(ExampleConsumer.LAG).gauge().value();
		nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
		consumer.step();

		assertThat(consumed).containsExactly("a", "b");
		assertThat(registry.get(ExampleConsumer.MESSAGES).counter().count()).isEqualTo(2);
		assertThat(lag).as("one polled and eight behind").isEqualTo(9);
		assertThat(registry.get(ExampleConsumer.LAG).gauge().value()).isEqualTo(8);
		assertThat(this.kafka.committed(java.util.Set.of(PARTITION)).get(PARTITION).offset()).isEqualTo(2);
		assertThat(this.lines).containsExactly("Messages consumed: 1 (12 bytes); offsets still to read: 9",
				"Messages consumed: 1 (12 bytes); offsets still to read: 8");
	}

	@Test
	void theExampleLogsOneLineForAllMessagesOfASecondAndNoneWhereNoneCame() {
		AtomicLong nanoTime = new AtomicLong();
		TopicReader reader = TopicReader.group(this.kafka);
		this.kafka.rebalance(List.of(PARTITION));
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		this.kafka.updateEndOffsets(Map.of(PARTITION, 1_000L));
		ExampleConsumer consumer = new ExampleConsumer(reader, (_) -> {
		}, this.lines::add, new SimpleMeterRegistry(), nanoTime::get);
		for (int i = 0; i < 1_000; i++) {
			add(i, "a", "", null, 0);
		}

		for (int i = 0; i < 999; i++) {
			consumer.step();
		}
		nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
		consumer.step();
		nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
		consumer.step();

		assertThat(this.lines).hasSize(2)
			.last()
			.isEqualTo("Messages consumed: 999 (11,988 bytes); offsets still to read: 0");
	}

	@Test
	void theExampleGoesOnForASecondAfterACommitThatTookLong() {
		AtomicLong nanoTime = new AtomicLong();
		MockConsumer<byte[], byte[]> slow = new MockConsumer<>("earliest") {

			@Override
			public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
				super.commitSync(offsets, timeout);
				nanoTime.addAndGet(Duration.ofSeconds(2).toNanos());
			}

		};
		TopicReader reader = TopicReader.group(slow);
		slow.rebalance(List.of(PARTITION));
		slow.updateBeginningOffsets(Map.of(PARTITION, 0L));
		slow.updateEndOffsets(Map.of(PARTITION, 3L));
		ExampleConsumer consumer = new ExampleConsumer(reader, (_) -> {
		}, this.lines::add, new SimpleMeterRegistry(), nanoTime::get);
		for (int i = 0; i < 3; i++) {
			slow.addRecord(record(i, "a", "", null, 0));
		}

		for (int i = 0; i < 3; i++) {
			consumer.step();
		}

		assertThat(this.lines).hasSize(1);
	}

	private static StoredMessage next(TopicReader reader) {
		StoredMessage next = reader.next(Duration.ZERO);
		assertThat(next).isNotNull();
		return next;
	}

	private void add(long offset, String id, String key, @Nullable ByteString session, long sequence) {
		this.kafka.addRecord(record(offset, id, key, session, sequence));
	}

	private static ConsumerRecord<byte[], byte[]> record(long offset, String id, String key,
			@Nullable ByteString session, long sequence) {
		ProducerRecord<byte[], byte[]> record = TopicRecord.of(Topics.SINK, 0,
				Contents.of(id, key, ("payload of " + id).getBytes()), session, sequence);
		return new ConsumerRecord<>(Topics.SINK, 0, offset, 1_000, TimestampType.CREATE_TIME, 0, 0, record.key(),
				record.value(), record.headers(), Optional.empty());
	}

}
