package dev.sluice.sink.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.sequence.SessionState;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.MessageTooLargeException;
import dev.sluice.sink.store.MessageStore.Placed;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages given to a writer before it starts go into one transaction. */
class SessionWriterTests {

	private static final ClientSession SESSION = new ClientSession(ByteString.copyFromUtf8("session 1"), 1, 0);

	/** A session may have 48 ranges, one of which is what came before it. */
	private static final int GAPS = 47;

	private static final Node NODE = new Node(0, "127.0.0.1", 1);

	static final int PARTITIONS = 4;

	static final Cluster CLUSTER = new Cluster("cluster", List.of(NODE),
			IntStream.range(0, PARTITIONS)
				.mapToObj((partition) -> new PartitionInfo(Topics.SINK, partition, NODE, new Node[] { NODE },
						new Node[] { NODE }))
				.toList(),
			Set.of(), Set.of());

	private static final String TOO_LARGE = "too large";

	private final MockProducer<byte[], byte[]> producer = newProducer();

	private final CountDownLatch begins = new CountDownLatch(1);

	private volatile Runnable duringPause = () -> {
	};

	private final Fence fence = new Fence();

	private final SessionWriter writer = new SessionWriter(SESSION, brokers(this.producer, this.begins),
			() -> this.duringPause.run());

	/** Brokers that know nothing of the session, and say so once it begins. */
	static SessionBrokers brokers(Producer<byte[], byte[]> producer, CountDownLatch begins) {
		return new SessionBrokers() {

			@Override
			public Producer<byte[], byte[]> producer() {
				return producer;
			}

			@Override
			public SessionState state() throws InterruptedException {
				begins.await();
				return new SessionState();
			}

		};
	}

	/**
	 * Refuses what is too large, and then, as Kafka's client, what comes behind it with
	 * the same exception.
	 */
	static MockProducer<byte[], byte[]> newProducer() {
		return new MockProducer<>(CLUSTER, true, new RoundRobinPartitioner(), new ByteArraySerializer(),
				new ByteArraySerializer()) {

			private RecordTooLargeException refused;

			@Override
			public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> sent, Callback callback) {
				if (new String(sent.value(), StandardCharsets.UTF_8).equals(TOO_LARGE)) {
					this.refused = new RecordTooLargeException();
				}
				if (this.refused == null) {
					return super.send(sent, callback);
				}
				callback.onCompletion(null, this.refused);
				return CompletableFuture.failedFuture(this.refused);
			}

		};
	}

	@AfterEach
	void end() {
		this.begins.countDown();
		this.writer.end();
		this.writer.await(Duration.ofSeconds(10));
	}

	@Test
	void writesWhatWasGivenTogetherWithTheStateThatComesOfItInOneTransaction() {
		Results first = store(message(1, "a"), message(2, "b"));
		Results second = store(message(3, "c"));

		this.begins.countDown();

		first.await();
		second.await();
		assertThat(first.outcomes()).containsExactly(OnceStore.Outcome.STORED, OnceStore.Outcome.STORED);
		assertThat(second.outcomes()).containsExactly(OnceStore.Outcome.STORED);
		assertThat(this.producer.commitCount()).isEqualTo(1);
		assertThat(this.producer.history()).extracting((sent) -> new String(sent.value()))
			.containsExactly("a", "b", "c");
		Map<String, Map<TopicPartition, OffsetAndMetadata>> offsets = this.producer.consumerGroupOffsetsHistory()
			.getFirst();
		assertThat(offsets).containsOnlyKeys("sink-session-" + HexFormat.of().formatHex(SESSION.id().toByteArray()));
		OffsetAndMetadata committed = offsets.values().iterator().next().get(new TopicPartition(Topics.SINK, 0));
		assertThat(committed.offset()).as("behind the last one").isEqualTo(4);
		SessionState state = SessionState.decode(Base64.getDecoder().decode(committed.metadata()));
		assertThat(state.offer(2, message(2, "b").content().checksum())).isEqualTo(SessionState.Verdict.REPEAT);
		assertThat(state.offer(2, message(2, "other").content().checksum())).isEqualTo(SessionState.Verdict.DIFFERENT);
		assertThat(state.offer(4, 0)).isEqualTo(SessionState.Verdict.NEW);
	}

	@Test
	void acknowledgesNoRepeatOfWhatItsOwnTransactionDidNotStore() {
		this.producer.commitTransactionException = new KafkaException("no");
		Results first = store(message(1, "a"));
		Results repeat = store(message(1, "a"));

		this.begins.countDown();

		first.await();
		repeat.await();
		assertThat(first.failures()).singleElement().isInstanceOf(StoreUnavailableException.class);
		assertThat(repeat.failures()).singleElement().isInstanceOf(StoreUnavailableException.class);
		assertThat(this.fence.isClosed()).isTrue();
	}

	@Test
	void knowsARepeatOnceItIsStored() {
		Results together = write(message(1, "a"), message(1, "a"));

		Results later = write(message(1, "a"));

		assertThat(together.outcomes()).containsExactly(OnceStore.Outcome.STORED, OnceStore.Outcome.REPEATED);
		assertThat(later.outcomes()).containsExactly(OnceStore.Outcome.REPEATED);
		assertThat(this.producer.history()).hasSize(1);
	}

	@Test
	void refusesOtherContentAloneAndStoresWhatIsBehindIt() {
		Results results = write(message(1, "a"), message(1, "other"), message(2, "b"));

		assertThat(results.outcomes()).containsExactly(OnceStore.Outcome.STORED, null, OnceStore.Outcome.STORED);
		assertThat(results.failures().get(1)).isInstanceOf(ContentDiffersException.class);
		assertThat(this.fence.isClosed()).isFalse();
	}

	/** The checksum of the message is no longer known. */
	@Test
	void refusesANewMessageBelowTheHighestSequenceAndStoresNothingBehindIt() {
		write(IntStream.rangeClosed(1, 600).mapToObj((i) -> message(i, "a")).toArray(Placed[]::new));
		ClientSession copy = new ClientSession(SESSION.id(), 1, 0, 2);
		Fence ofCopy = new Fence();

		Results results = write(new Placed(new Place(copy, 1, ofCopy), content("a")),
				new Placed(new Place(copy, 2, ofCopy), content("lost?")),
				new Placed(new Place(copy, 601, ofCopy), content("behind")));

		assertThat(results.outcomes()).containsExactly(OnceStore.Outcome.REPEATED, null, null);
		assertThat(results.failures().get(1)).isInstanceOf(SessionForgottenException.class);
		assertThat(results.failures().get(2)).isInstanceOf(StoreUnavailableException.class);
	}

	@Test
	void storesNothingBehindAClosedFence() {
		Results results = store(message(1, "a"));
		this.fence.close();

		this.begins.countDown();

		results.await();
		assertThat(results.failures()).singleElement().isInstanceOf(StoreUnavailableException.class);
		assertThat(this.producer.history()).isEmpty();
	}

	@Test
	void tellsTheOthersIfAStreamCannotBeTold() {
		this.writer.store(new SessionWriter.Group(List.of(message(1, "a")), (_) -> {
			throw new IllegalStateException("broken");
		}));
		Results others = write(message(2, "b"));

		assertThat(others.outcomes()).containsExactly(OnceStore.Outcome.STORED);
		assertThat(this.writer.ended()).isFalse();
	}

	@Test
	void waitsBehindALargeTransactionWhileMoreComes() {
		AtomicInteger pauses = new AtomicInteger();
		List<Results> others = new CopyOnWriteArrayList<>();
		this.duringPause = () -> {
			if (pauses.incrementAndGet() <= 2) {
				others.add(store(message(100 + pauses.get(), "more")));
			}
		};
		write(message(1, "a".repeat(SessionWriter.LARGE_BYTES)));

		write(message(100, "b"));

		others.forEach(Results::await);
		assertThat(others).hasSize(2);
		assertThat(pauses).as("the third one brings nothing").hasValue(3);
		assertThat(this.producer.commitCount()).isEqualTo(2);
	}

	@Test
	void doesNotWaitBehindASmallTransaction() {
		AtomicInteger pauses = new AtomicInteger();
		this.duringPause = pauses::incrementAndGet;

		for (int sequence = 1; sequence <= 3; sequence++) {
			write(message(sequence, "a"));
		}

		assertThat(pauses).hasValue(0);
		assertThat(this.producer.commitCount()).isEqualTo(3);
	}

	@Test
	void writesAMessageToThePartitionOfItsKeyOrElseOfItsSession() {
		List<ByteString> keys = IntStream.range(0, 8).mapToObj((key) -> ByteString.copyFromUtf8("key " + key)).toList();
		List<Placed> messages = new ArrayList<>(List.of(message(1, "a"), message(2, "b")));
		keys.forEach((key) -> messages.add(new Placed(new Place(SESSION, messages.size() + 1, this.fence),
				new Content(ByteString.copyFromUtf8("id"), key, 0, new byte[1]))));

		write(messages.toArray(Placed[]::new));

		List<Integer> partitions = this.producer.history().stream().map(ProducerRecord::partition).toList();
		assertThat(partitions.subList(0, 2)).containsOnly(Math.floorMod(SESSION.id().hashCode(), PARTITIONS));
		assertThat(partitions.subList(2, 10))
			.isEqualTo(keys.stream().map((key) -> KafkaMessageStore.partition(key, PARTITIONS)).toList());
		assertThat(partitions).as("not all of one").contains(0, 1, 2, 3);
	}

	@Test
	void storesNothingOfAStreamBehindAMessageThatHasToWaitForOlderOnes() {
		Results results = write(
				IntStream.rangeClosed(1, 2 * GAPS).mapToObj((i) -> message(2 * i + 1, "m" + i)).toArray(Placed[]::new));

		assertThat(results.outcomes().subList(0, GAPS)).containsOnly(OnceStore.Outcome.STORED);
		assertThat(results.outcomes().subList(GAPS, 2 * GAPS)).containsOnlyNulls();
		assertThat(results.failures().get(GAPS)).isInstanceOf(StoreUnavailableException.class)
			.hasMessageContaining("Too many older messages");
		assertThat(results.failures().getLast()).hasMessageContaining("An earlier message of the stream");
		assertThat(this.fence.isClosed()).isTrue();
		assertThat(this.producer.history()).hasSize(GAPS);
	}

	@Test
	void refusesForGoodWhatIsTooLargeAloneIfItsTransactionFails() {
		this.producer.commitTransactionException = new KafkaException("no");
		Results results = write(message(1, "a"), message(2, TOO_LARGE), message(3, "c"));

		assertThat(results.failures()).satisfiesExactly(
				(first) -> assertThat(first).isInstanceOf(StoreUnavailableException.class),
				(large) -> assertThat(large).isInstanceOf(MessageTooLargeException.class),
				(last) -> assertThat(last).isInstanceOf(StoreUnavailableException.class));
		assertThat(this.fence.isClosed()).isTrue();
	}

	/** A failure ends the stream, and a refusal behind it would be lost. */
	@Test
	void reportsARefusalBeforeTheFailuresOfItsTransaction() {
		this.producer.commitTransactionException = new KafkaException("no");
		List<Throwable> reported = new CopyOnWriteArrayList<>();
		List<String> payloads = List.of("a", TOO_LARGE, "c");
		payloads.forEach((payload) -> this.writer
			.store(new SessionWriter.Group(List.of(message(payloads.indexOf(payload) + 1, payload)),
					(results) -> reported.add(results.getFirst().failure()))));

		this.begins.countDown();

		Awaitility.await().until(() -> reported.size() == 3);
		assertThat(reported.getFirst()).isInstanceOf(MessageTooLargeException.class);
	}

	@Test
	void endsAfterAFailure() {
		this.producer.commitTransactionException = new KafkaException("no");
		Results results = write(message(1, "a"));

		assertThat(this.writer.ended()).isTrue();
		assertThat(this.writer.store(new SessionWriter.Group(List.of(message(2, "b")), new Results())))
			.contains("its writer is ending");
		Awaitility.await().until(this.writer::over);
		assertThat(this.producer.closed()).isTrue();
	}

	@Test
	void takesNoFurtherGroupIntoATransactionOfSixteenMegabytes() {
		Results large = store(message(1, "a".repeat(16 * 1024 * 1024)));
		Results next = store(message(2, "b"), message(3, "c"));
		Results last = store(message(4, "d"));

		this.begins.countDown();

		List.of(large, next, last).forEach(Results::await);
		assertThat(this.producer.commitCount()).isEqualTo(2);
	}

	@Test
	void endsOnlyWhenItIsIdle() {
		assertThat(this.writer.endIfIdle()).as("it asks for the state").isFalse();
		Results results = store(message(1, "a"));
		assertThat(this.writer.endIfIdle()).isFalse();
		this.begins.countDown();
		results.await();

		Awaitility.await().until(this.writer::endIfIdle);

		assertThat(this.writer.ended()).isTrue();
		Awaitility.await().until(this.writer::over);
	}

	@Test
	void writesWhatItHasBeforeItEnds() {
		Results results = store(message(1, "a"));
		this.writer.end();
		assertThat(this.writer.over()).isFalse();

		this.begins.countDown();

		results.await();
		assertThat(results.outcomes()).containsExactly(OnceStore.Outcome.STORED);
		this.writer.await(Duration.ofSeconds(10));
		assertThat(this.writer.over()).isTrue();
	}

	/** Stores messages, lets the writer begin, and awaits its report. */
	private Results write(Placed... messages) {
		Results results = store(messages);
		this.begins.countDown();
		results.await();
		return results;
	}

	private Results store(Placed... messages) {
		Results results = new Results();
		assertThat(this.writer.store(new SessionWriter.Group(Arrays.asList(messages), results))).isNull();
		return results;
	}

	private Placed message(long sequence, String payload) {
		return new Placed(new Place(SESSION, sequence, this.fence), content(payload));
	}

	private static Content content(String payload) {
		return new Content(ByteString.copyFromUtf8("id"), ByteString.EMPTY, 0,
				payload.getBytes(StandardCharsets.UTF_8));
	}

	private static final class Results implements Consumer<List<Completed>> {

		private final List<List<Completed>> reported = new CopyOnWriteArrayList<>();

		@Override
		public void accept(List<Completed> results) {
			this.reported.add(List.copyOf(results));
		}

		void await() {
			Awaitility.await().until(() -> !this.reported.isEmpty());
			assertThat(this.reported).as("reported once").hasSize(1);
		}

		List<OnceStore.Outcome> outcomes() {
			return this.reported.getFirst().stream().map(Completed::outcome).toList();
		}

		List<Throwable> failures() {
			return this.reported.getFirst().stream().map(Completed::failure).toList();
		}

	}

}
