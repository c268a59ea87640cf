package dev.sluice.sink.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
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
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.Contents;
import dev.sluice.sink.Script;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionState;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Placed;
import io.grpc.Status;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

	private static final String TOO_LARGE = "too-large";

	private final MockProducer<byte[], byte[]> producer = newProducer();

	private final CountDownLatch begins = new CountDownLatch(1);

	private volatile Runnable duringPause = () -> {
	};

	private final Fence fence = new Fence();

	private final SessionWriter writer = new SessionWriter(SESSION, brokers(this.producer, this.begins),
			() -> this.duringPause.run());

	/** Brokers that know nothing of the session, and say so once it begins. */
	static SessionBrokers brokers(Producer<byte[], byte[]> producer, CountDownLatch begins) {
		return new SessionBrokers(Map.of(), SESSION, Duration.ZERO) {

			@Override
			Producer<byte[], byte[]> producer() {
				return producer;
			}

			@Override
			SessionState state() throws InterruptedException {
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

	private final AtomicInteger pauses = new AtomicInteger();

	/** Of the groups that a script has given, in their order. */
	private final Deque<Results> given = new ArrayDeque<>();

	/** In the order in which they came. */
	private final List<String> reported = new CopyOnWriteArrayList<>();

	/**
	 * Messages are {@code number=payload} or {@code number:size}; those of a {@code give}
	 * are a group. {@code got} tells the results of the next one.
	 */
	private final Script script = new Script()
		.word("give", (messages) -> this.given.add(store(messages.stream().map(this::message).toArray(Placed[]::new))))
		.word("refused",
				(message) -> assertThat(
						this.writer.store(new SessionWriter.Group(List.of(message(message.getFirst())), new Results())))
					.contains("its writer is ending"))
		.word("begin", (_) -> this.begins.countDown())
		.word("commits-fail", (_) -> this.producer.commitTransactionException = new KafkaException("no"))
		.word("fence", (_) -> this.fence.close())
		.word("end", (_) -> this.writer.end())
		.word("busy", (_) -> assertThat(this.writer.endIfIdle()).isFalse())
		.word("idle", (_) -> Awaitility.await().until(this.writer::endIfIdle))
		.word("over", (_) -> Awaitility.await().until(this.writer::over))
		.word("got", (expected) -> {
			Results results = this.given.remove();
			results.await();
			assertThat(Results.names(results.reported.getFirst())).isEqualTo(expected);
		})
		.shown("reported", () -> this.reported)
		.is(() -> "sent=%s commits=%s pauses=%s fenced=%s ended=%s over=%s closed=%s".formatted(
				this.producer.history().size(), this.producer.commitCount(), this.pauses, this.fence.isClosed(),
				this.writer.ended(), this.writer.over(), this.producer.closed()));

	@AfterEach
	void end() {
		this.begins.countDown();
		this.writer.end();
		this.writer.await(Duration.ofSeconds(10));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.duringPause = this.pauses::incrementAndGet;
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				acknowledges no repeat of what its own transaction did not store
					commits-fail; give 1=a; give 1=a; begin; got UNAVAILABLE; got UNAVAILABLE; is fenced=true
				knows a repeat once it is stored
					give 1=a 1=a; begin; got STORED REPEATED; give 1=a; got REPEATED; is sent=1
				refuses other content alone and stores what is behind it
					give 1=a 1=other 2=b; begin; got STORED ALREADY_EXISTS STORED; is fenced=false
				stores nothing behind a closed fence
					give 1=a; fence; begin; got UNAVAILABLE; is sent=0
				does not wait behind a small transaction
					begin; give 1=a; got STORED; give 2=a; got STORED; give 3=a; got STORED; is pauses=0 commits=3
				refuses for good what is too large alone if its transaction fails
					commits-fail; give 1=a 2=too-large 3=c; begin
					got UNAVAILABLE RESOURCE_EXHAUSTED UNAVAILABLE; is fenced=true
				reports a refusal before the failures of its transaction: a failure ends the stream
					commits-fail; give 1=a; give 2=too-large; give 3=c; begin
					got UNAVAILABLE; got RESOURCE_EXHAUSTED; got UNAVAILABLE
					reported RESOURCE_EXHAUSTED UNAVAILABLE UNAVAILABLE
				ends after a failure
					commits-fail; give 1=a; begin; got UNAVAILABLE; is ended=true; refused 2=b; over
					is closed=true
				takes no further group into a transaction of sixteen megabytes
					give 1:16777216; give 2=b 3=c; give 4=d; begin; got STORED; got STORED STORED; got STORED
					is commits=2
				ends only when it is idle, not while it asks for its state
					busy; give 1=a; busy; begin; got STORED; idle; is ended=true; over
				writes what it has before it ends
					give 1=a; end; is over=false; begin; got STORED; over
				""");
	}

	private Placed message(String text) {
		String[] parts = text.split("[=:]");
		return message(Long.parseLong(parts[0]),
				text.contains("=") ? parts[1] : "x".repeat(Integer.parseInt(parts[1])));
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
		assertThat(results.failures().get(1).getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
		assertThat(results.failures().get(2).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
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
		List<Results> others = new CopyOnWriteArrayList<>();
		this.duringPause = () -> {
			if (this.pauses.incrementAndGet() <= 2) {
				others.add(store(message(100 + this.pauses.get(), "more")));
			}
		};
		write(message(1, "a".repeat(SessionWriter.LARGE_BYTES)));

		write(message(100, "b"));

		others.forEach(Results::await);
		assertThat(others).hasSize(2);
		assertThat(this.pauses).as("the third one brings nothing").hasValue(3);
		assertThat(this.producer.commitCount()).isEqualTo(2);
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
		assertThat(results.failures().get(GAPS).getCause()).hasMessageContaining("Too many older messages");
		assertThat(results.failures().getLast().getCause()).hasMessageContaining("An earlier message of the stream");
		assertThat(this.fence.isClosed()).isTrue();
		assertThat(this.producer.history()).hasSize(GAPS);
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

	private final class Results implements Consumer<List<Completed>> {

		private final List<List<Completed>> reported = new CopyOnWriteArrayList<>();

		@Override
		public void accept(List<Completed> results) {
			SessionWriterTests.this.reported.addAll(names(results));
			this.reported.add(List.copyOf(results));
		}

		/** The outcomes, or the codes of failures. */
		private static List<String> names(List<Completed> results) {
			return results.stream().map(Contents::name).toList();
		}

		void await() {
			Awaitility.await().until(() -> !this.reported.isEmpty());
			assertThat(this.reported).as("reported once").hasSize(1);
		}

		List<OnceStore.Outcome> outcomes() {
			return this.reported.getFirst().stream().map(Completed::outcome).toList();
		}

		List<Status> failures() {
			return this.reported.getFirst().stream().map(Completed::failure).toList();
		}

	}

}
