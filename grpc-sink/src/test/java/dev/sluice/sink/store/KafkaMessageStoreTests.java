package dev.sluice.sink.store;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.Contents;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.TopicRecord;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.topics.TopicWatch;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** The test says when the brokers acknowledge a message. */
class KafkaMessageStoreTests {

	private static final int PARTITIONS = SessionWriterTests.PARTITIONS;

	private static final Map<String, Object> NOBODY = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
			"127.0.0.1:1", CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, 100,
			CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, 200);

	private static final ClientSession SESSION = new ClientSession(ByteString.copyFromUtf8("session 1"), 1, 0);

	private final MockProducer<byte[], byte[]> producer = producer();

	private final AtomicInteger resets = new AtomicInteger();

	private final KafkaTemplate<byte[], byte[]> kafka = new KafkaTemplate<>(new ProducerFactory<>() {

		@Override
		public Producer<byte[], byte[]> createProducer() {
			return KafkaMessageStoreTests.this.producer;
		}

		@Override
		public void reset() {
			KafkaMessageStoreTests.this.resets.incrementAndGet();
		}

		@Override
		public Map<String, Object> getConfigurationProperties() {
			return NOBODY;
		}

	});

	private final TopicWatch topic = mock(TopicWatch.class);

	private final KafkaSessions sessions = new KafkaSessions(NOBODY, 1, Duration.ofDays(1));

	private final KafkaMessageStore store = new KafkaMessageStore(this.kafka, this.topic, this.sessions);

	private static MockProducer<byte[], byte[]> producer() {
		return new MockProducer<>(SessionWriterTests.CLUSTER, false, new RoundRobinPartitioner(),
				new ByteArraySerializer(), new ByteArraySerializer()) {

			/** The factory's producer is shared. */
			@Override
			public void close(Duration timeout) {
			}

		};
	}

	@BeforeEach
	void start() {
		when(this.topic.ids()).thenReturn(Map.of(Topics.SINK, Uuid.ONE_UUID));
	}

	@AfterEach
	void stop() {
		this.sessions.close();
	}

	@Test
	void acknowledgesAMessageOnceTheBrokersHaveIt() {
		CompletableFuture<Completed> stored = store(
				new Content(ByteString.copyFromUtf8("id"), ByteString.EMPTY, 7, "payload".getBytes()));
		assertThat(stored).isNotDone();

		this.producer.completeNext();

		assertThat(stored).isCompletedWithValue(Completed.STORED);
		ProducerRecord<byte[], byte[]> sent = this.producer.history().getFirst();
		assertThat(sent.topic()).isEqualTo(Topics.SINK);
		assertThat(sent.partition()).as("the producer chooses it").isNull();
		assertThat(sent.key()).asString().isEqualTo("id");
		assertThat(sent.value()).asString().isEqualTo("payload");
		assertThat(sent.headers().lastHeader(TopicRecord.CLIENT).value())
			.isEqualTo(ByteBuffer.allocate(Long.BYTES).putLong(7).array());
	}

	@Test
	void sendsAMessageToThePartitionOfItsKey() {
		List<Integer> expected = IntStream.range(0, 20)
			.mapToObj((i) -> BuiltInPartitioner.partitionForKey(("key " + i).getBytes(), PARTITIONS))
			.toList();

		List<CompletableFuture<Completed>> stored = IntStream.range(0, 20)
			.mapToObj((i) -> store(Contents.of("id " + i, "key " + i, new byte[1])))
			.toList();
		stored.forEach((_) -> this.producer.completeNext());

		assertThat(expected).contains(0, 1, 2, 3);
		assertThat(stored).allMatch(CompletableFuture::isDone);
		assertThat(this.producer.history()).extracting(ProducerRecord::partition).isEqualTo(expected);
	}

	/** Only after a failure of the producer is it unknown whether the brokers have it. */
	@ParameterizedTest
	@MethodSource
	void goesOnAfterAFailure(RuntimeException cause, String expected, int resets) {
		CompletableFuture<Completed> stored = store(Contents.of("id", new byte[1]));

		this.producer.errorNext(cause);

		assertThat(stored.resultNow().failure().toString()).contains(expected);
		assertThat(this.resets).as("other producers").hasValue(resets);
		assertThat(this.store.ready()).isTrue();
	}

	static Stream<Arguments> goesOnAfterAFailure() {
		return Stream.of(arguments(new RecordTooLargeException(), "code=RESOURCE_EXHAUSTED", 0),
				arguments(new TimeoutException("late"), "TimeoutException: late", 0),
				arguments(new BufferExhaustedException("no room"), "BufferExhaustedException: no room", 0),
				arguments(new KafkaException("broken"), "KafkaException: broken", 1));
	}

	@ParameterizedTest
	@MethodSource
	void saysSoWhenAMessageCannotEvenBeSent(String key, RuntimeException ofSend, String expected) {
		this.producer.sendException = ofSend;
		this.producer.partitionsForException = new TimeoutException("no partitions");

		CompletableFuture<Completed> stored = store(Contents.of("id", key, new byte[1]));

		assertThat(Contents.name(stored.resultNow())).isEqualTo("UNAVAILABLE");
		assertThat(stored.resultNow().failure().getCause()).hasMessageContaining(expected);
	}

	static Stream<Arguments> saysSoWhenAMessageCannotEvenBeSent() {
		return Stream.of(arguments("key", new KafkaException("broken"), "no partitions"),
				arguments("", new KafkaException("broken"), "broken"),
				arguments("", new IllegalStateException("closed"), "closed"));
	}

	@Test
	void takesNothingBeforeTheTopicIsThere() {
		assertThat(this.store.ready()).isTrue();

		when(this.topic.ids()).thenReturn(Map.of());

		assertThat(this.store.ready()).isFalse();
	}

	/** Their states may be those of a topic that was deleted. */
	@Test
	void endsTheWritersOfSessionsWhenTheTopicIsNew() throws Exception {
		assertThat(storeWithPlace()).as("nobody answers").isNotDone();

		this.sessions.forget();

		assertThat(storeWithPlace().get(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS).failure().getCause())
			.hasMessageContaining("is ending");
	}

	private CompletableFuture<Completed> store(Content content) {
		return Contents.store(this.store::store, null, content);
	}

	private CompletableFuture<Completed> storeWithPlace() {
		return Contents.store(this.store::store, new Place(SESSION, 1, new Fence()), Contents.of("id", new byte[1]));
	}

}
