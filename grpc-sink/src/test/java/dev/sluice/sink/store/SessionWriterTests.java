package dev.sluice.sink.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionState;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Completion;
import dev.sluice.sink.store.MessageStore.Placed;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages given to a writer before it starts go into one transaction. */
class SessionWriterTests {

	private static final ClientSession SESSION = new ClientSession(ByteString.copyFromUtf8("session 1"), 1, 0);

	private static final Node NODE = new Node(0, "127.0.0.1", 1);

	private final MockProducer<byte[], byte[]> producer = new MockProducer<>(
			new Cluster("cluster", List.of(NODE),
					List.of(new PartitionInfo(Topics.SINK, 0, NODE, new Node[] { NODE }, new Node[] { NODE })),
					Set.of(), Set.of()),
			true, new RoundRobinPartitioner(), new ByteArraySerializer(), new ByteArraySerializer());

	private final CountDownLatch begins = new CountDownLatch(1);

	private volatile Runnable duringPause = () -> {
	};

	private final Fence fence = new Fence();

	private final SessionWriter writer = new SessionWriter(SESSION, new SessionWriter.Brokers() {

		@Override
		public Producer<byte[], byte[]> producer() {
			return SessionWriterTests.this.producer;
		}

		@Override
		public SessionState state() throws InterruptedException {
			SessionWriterTests.this.begins.await();
			return new SessionState();
		}

	}, () -> this.duringPause.run());

	@AfterEach
	void end() {
		this.begins.countDown();
		this.writer.end();
		this.writer.await(Duration.ofSeconds(10));
	}

	@Test
	void writesWhatWasGivenTogetherWithTheStateInOneTransaction() {
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
		assertThat(this.producer.consumerGroupOffsetsHistory()).hasSize(1);
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
		Results together = store(message(1, "a"), message(1, "a"));
		this.begins.countDown();
		together.await();

		Results later = store(message(1, "a"));

		later.await();
		assertThat(together.outcomes()).containsExactly(OnceStore.Outcome.STORED, OnceStore.Outcome.REPEATED);
		assertThat(later.outcomes()).containsExactly(OnceStore.Outcome.REPEATED);
		assertThat(this.producer.history()).hasSize(1);
	}

	@Test
	void refusesOtherContentAloneAndStoresWhatIsBehindIt() {
		Results results = store(message(1, "a"), message(1, "other"), message(2, "b"));

		this.begins.countDown();

		results.await();
		assertThat(results.outcomes()).containsExactly(OnceStore.Outcome.STORED, null, OnceStore.Outcome.STORED);
		assertThat(results.failures().get(1)).isInstanceOf(ContentDiffersException.class);
		assertThat(this.fence.isClosed()).isFalse();
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
		this.writer.store(new SessionWriter.Group(List.of(message(1, "a")), (_, _) -> {
			throw new IllegalStateException("broken");
		}));
		Results others = store(message(2, "b"));

		this.begins.countDown();

		others.await();
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
		storeLarge();

		store(message(100, "b")).await();

		others.forEach(Results::await);
		assertThat(others).hasSize(2);
		assertThat(pauses).as("the third one brings nothing").hasValue(3);
		assertThat(this.producer.commitCount()).isEqualTo(2);
	}

	@Test
	void doesNotWaitForEverWhileMoreComes() {
		AtomicInteger pauses = new AtomicInteger();
		this.duringPause = () -> store(message(100 + pauses.incrementAndGet(), "more"));
		storeLarge();

		store(message(100, "b")).await();

		assertThat(pauses).hasValue(SessionWriter.MOST_PAUSES);
	}

	@Test
	void doesNotWaitBehindASmallTransaction() {
		AtomicInteger pauses = new AtomicInteger();
		this.duringPause = pauses::incrementAndGet;
		this.begins.countDown();

		for (int sequence = 1; sequence <= 3; sequence++) {
			store(message(sequence, "a")).await();
		}

		assertThat(pauses).hasValue(0);
		assertThat(this.producer.commitCount()).isEqualTo(3);
	}

	private void storeLarge() {
		Results large = store(message(1, "a".repeat(SessionWriter.LARGE_BYTES)));
		this.begins.countDown();
		large.await();
	}

	@Test
	void takesNothingOnceItEnds() {
		this.writer.end();

		assertThat(this.writer.store(new SessionWriter.Group(List.of(message(1, "a")), new Results())))
			.contains("its writer is ending");
	}

	private Results store(Placed... messages) {
		Results results = new Results();
		assertThat(this.writer.store(new SessionWriter.Group(Arrays.asList(messages), results))).isNull();
		return results;
	}

	private Placed message(long sequence, String payload) {
		return new Placed(new Place(SESSION, sequence, this.fence), new Content(ByteString.copyFromUtf8("id"),
				ByteString.EMPTY, 0, payload.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
	}

	private static final class Results implements Completion {

		private final List<List<Completed>> told = new CopyOnWriteArrayList<>();

		@Override
		public void done(int first, List<Completed> results) {
			this.told.add(List.copyOf(results));
		}

		void await() {
			Awaitility.await().until(() -> !this.told.isEmpty());
			assertThat(this.told).as("told once").hasSize(1);
		}

		List<OnceStore.Outcome> outcomes() {
			List<OnceStore.Outcome> outcomes = new ArrayList<>();
			this.told.getFirst().forEach((result) -> outcomes.add(result.outcome()));
			return outcomes;
		}

		List<Throwable> failures() {
			List<Throwable> failures = new ArrayList<>();
			this.told.getFirst().forEach((result) -> failures.add(result.failure()));
			return failures;
		}

	}

}
