package dev.sluice.sink.reader;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.Contents;
import dev.sluice.sink.format.TopicRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
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

	@Test
	void readsWhatIsStoredOfEachMessage() {
		this.kafka.updatePartitions(Topics.SINK,
				List.of(new PartitionInfo(Topics.SINK, 0, Node.noNode(), new Node[0], new Node[0])));
		this.kafka.updateBeginningOffsets(Map.of(PARTITION, 0L));
		this.kafka.updateEndOffsets(Map.of(PARTITION, 2L));
		TopicReader reader = new TopicReader(this.kafka);
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
