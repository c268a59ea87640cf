package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.contract.sink.Session;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.MessageTooLargeException;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import dev.sluice.threads.Supervisor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCall;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.micrometer.core.instrument.Meter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The whole protocol over an in-process transport. Every callback runs on the test's
 * thread, and the test controls the timer.
 */
@ExtendWith(OutputCaptureExtension.class)
class SinkStreamTests {

	private static final int CAPACITY = 10;

	private static final int STORING = 12;

	private static final int ACK_BATCH = 4;

	private static final int MEMORY = 4_000;

	/** Number of small messages that a stream requests in advance. */
	private static final int PREFETCH = 4;

	private static final SinkProperties PROPERTIES = Settings.of("sink.stream.queue-capacity=" + CAPACITY,
			"sink.limits.memory=" + MEMORY + "B", "sink.limits.max-storing=" + STORING, "sink.limits.max-streams=3",
			"sink.limits.max-streams-per-client=0", "sink.limits.max-message=1000B",
			"sink.stream.ack-batch=" + ACK_BATCH, "sink.store.timeout=5m", "sink.store.repeat-horizon=100");

	private final FakeStore store = new FakeStore();

	private final List<Runnable> timers = new ArrayList<>();

	private final AtomicLong nanoTime = new AtomicLong(-1_000_000);

	private int calls;

	private int broken = -1;

	private final List<ClientStream> clients = new ArrayList<>();

	private InProcessSink sink;

	@BeforeEach
	void start() throws Exception {
		this.sink = new InProcessSink(this.store, new Decompressor(PROPERTIES.limits().maxMessageBytes(), null),
				Runnable::run, PROPERTIES, new ManualTimer(this.timers), this.nanoTime::get, this::breakable);
	}

	/** Whatever happened, it holds nothing once its clients have gone. */
	@AfterEach
	void stop() {
		try {
			this.clients.forEach((client) -> client.call.cancel("gone", null));
			assertThat(gauge(SinkMetric.QUEUED)).isZero();
			assertThat(gauge(SinkMetric.IN_FLIGHT)).isZero();
			assertThat(gauge(SinkMetric.STREAMS)).isZero();
			completeEverything();
			assertThat(gauge(SinkMetric.IN_FLIGHT)).isZero();
			assertThat(gauge(SinkMetric.MEMORY)).isZero();
		}
		finally {
			this.sink.close();
		}
	}

	@Test
	void tellsItsBoundsAtTheStart() {
		ClientStream client = client(true);

		assertThat(client.responses).singleElement().satisfies((response) -> {
			assertThat(response.getVersion()).isEqualTo(1);
			assertThat(response.getInfo()).isEqualTo(ServiceMessage.newBuilder()
				.setQueueCapacity(CAPACITY)
				.setMaxMessageBytes(1_000)
				.setZstd(true)
				.setBatchMessages(256)
				.setMinVersion(1)
				.setMaxVersion(2)
				.build());
		});
	}

	@Test
	void storesAcknowledgesAndRefusesEachMessageOfABatchByItself() {
		ClientStream client = client(true);
		byte[] large = "x".repeat(900).getBytes();

		client.send(batch(plain("a", "payload of a".getBytes()),
				BatchedMessage.newBuilder().setMessageId(ByteString.copyFromUtf8("empty")),
				BatchedMessage.newBuilder()
					.setMessageId(ByteString.copyFromUtf8("z"))
					.setZstdCompressed(ByteString.copyFrom(Zstd.compress(large))),
				plain("b", new byte[0])));
		client.send("c");

		assertThat(this.store.pendingIds()).as("in their order").containsExactly("a", "z", "b", "c");
		assertThat(client.refusals()).containsExactly("empty: INVALID_ARGUMENT");
		assertThat(counter(SinkMetric.RECEIVED)).isEqualTo(5);
		FakeStore.Pending compressed = this.store.take("z");
		assertThat(compressed.payload()).isEqualTo(large);
		this.store.complete("b", "c");
		runTimers();
		assertThat(client.acked()).containsExactly("b", "c");
		compressed.done().complete(null);
	}

	@Test
	void storesNothingOfABatchWithAMessageThatCannotBeNamed() {
		ClientStream client = client(true);
		client.send("before");

		client.send(batch(plain("a", new byte[1]), plain("", new byte[1])));

		assertThat(this.store.pendingIds()).containsExactly("before");
		this.store.completeAll();
		assertThat(client.acked()).containsExactly("before");
		assertThat(client.status()).isEqualTo(Status.Code.INVALID_ARGUMENT);
	}

	@Test
	void dropsTheOldestOfAQueueThatABatchOverfills() {
		ClientStream client = client(true);

		client.send(batch(IntStream.range(0, STORING + CAPACITY + 3)
			.mapToObj((i) -> plain(Integer.toString(i), new byte[1]))
			.toArray(BatchedMessage.Builder[]::new)));

		assertThat(client.infos().getLast().getDropped()).isEqualTo(STORING + 3);
		assertThat(this.store.pending()).isEqualTo(CAPACITY);
		completeEverything();
		assertThat(client.acked()).hasSize(CAPACITY);
	}

	private static BatchedMessage.Builder plain(String id, byte[] payload) {
		return BatchedMessage.newBuilder()
			.setMessageId(ByteString.copyFromUtf8(id))
			.setPlainMessage(ByteString.copyFrom(payload));
	}

	private static Request.Builder batch(BatchedMessage.Builder... messages) {
		Request.Builder batch = Request.newBuilder().setVersion(1);
		Stream.of(messages).forEach(batch::addMessages);
		return batch;
	}

	@Test
	void acknowledgesInBatches() {
		ClientStream client = client(true);
		client.sendMany(10);

		this.store.complete("0", "1", "2");
		assertThat(client.ackBatches()).as("waits for more").isEmpty();

		this.store.complete("3");
		assertThat(client.ackBatches()).as("a full batch goes at once").containsExactly(4);

		this.store.complete("4", "5");
		assertThat(client.ackBatches()).containsExactly(4);
		runTimers();
		assertThat(client.ackBatches()).as("a batch that has waited goes as it is").containsExactly(4, 2);

		this.store.completeAll();
		assertThat(client.ackBatches()).as("nothing else could join it").containsExactly(4, 2, 4);
	}

	@Test
	void dropsTheOldestOfAFullQueueAndTellsTheClient() {
		ClientStream client = client(true);

		client.sendMany(STORING + CAPACITY + 3);

		assertThat(this.store.pending()).isEqualTo(STORING);
		assertThat(counter(SinkMetric.DROPPED)).isEqualTo(3);
		assertThat(client.infos().getLast().getDropped()).isEqualTo(3);
		assertThat(client.infos().getLast().getQueueCapacity()).isEqualTo(CAPACITY);

		completeEverything();
		assertThat(client.acked()).as("all but the oldest three that waited")
			.containsExactlyInAnyOrderElementsOf(IntStream.range(0, STORING + CAPACITY + 3)
				.filter((i) -> i < STORING || i >= STORING + 3)
				.mapToObj(Integer::toString)
				.toList());
	}

	/** Like a client that sends timed-out messages again, behind those in the queue. */
	@Test
	void endsAStreamWhoseNumberedMessageItDropsAndStoresNothingBehindThat() {
		ClientStream client = client(true);
		for (int i = 1; i <= STORING + CAPACITY + 3 && !client.ended; i++) {
			client.send(numbered(i));
		}

		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(counter(SinkMetric.DROPPED)).isOne();
		completeEverything();
		assertThat(this.store.places()).extracting(Place::sequence)
			.containsExactlyElementsOf(LongStream.rangeClosed(1, STORING).boxed().toList());
	}

	private static Request.Builder numbered(int sequence) {
		return request(Integer.toString(sequence)).setVersion(2)
			.setSession(Session.newBuilder().setId(ByteString.copyFromUtf8("session-a")).setFirstUnsettled(1))
			.setSequence(sequence)
			.setPlainMessage(ByteString.copyFromUtf8("payload"));
	}

	@Test
	void takesNoMoreBytesThanItsMemory() {
		ClientStream client = client(true);

		for (int i = 0; i < 20; i++) {
			client.send(Integer.toString(i), 500);
		}

		assertThat(gauge(SinkMetric.MEMORY)).as("the limit, plus messages requested before it was reached")
			.isBetween((double) MEMORY, (double) MEMORY + PREFETCH * (500 + 146));
		assertThat(counter(SinkMetric.RECEIVED)).isLessThan(12);

		completeEverything();
		assertThat(client.acked()).hasSize(20);
		assertThat(counter(SinkMetric.DROPPED)).isZero();
	}

	@Test
	void decompressesNoMoreThanItsMemory() {
		ClientStream client = client(true);

		for (int i = 0; i < 14; i++) {
			client.send(zeros(Integer.toString(i)));
		}

		assertThat(this.store.pending()).as("four are below the limit").isEqualTo(5);
		assertThat(gauge(SinkMetric.MEMORY)).isLessThan(5 * 900 + 14 * 176);

		completeEverything();
		assertThat(client.acked()).hasSize(14);
		assertThat(counter(SinkMetric.DROPPED)).isZero();
	}

	@Test
	void countsWhatIsOwedToAClientUntilItHasGone() {
		storeOneByOne(client(false), 8);

		assertThat(gauge(SinkMetric.MEMORY)).as("acknowledgements that the client does not read").isPositive();
	}

	private void storeOneByOne(ClientStream client, int messages) {
		for (int i = 0; i < messages; i++) {
			client.send(Integer.toString(i));
			this.store.completeAll();
			runTimers();
		}
	}

	@Test
	void endsAStreamWhoseClientDoesNotReadWhatItIsOwed() {
		ClientStream client = client(false);
		storeOneByOne(client, 8);
		this.sink.service.check();
		pass(Duration.ofSeconds(30));
		this.sink.service.check();
		assertThat(gauge(SinkMetric.IN_FLIGHT)).as("not yet").isPositive();

		pass(Duration.ofSeconds(1));
		this.sink.service.check();
		client.call.request(100);

		assertThat(client.status()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
		assertThat(client.acked()).as("all that was stored").hasSize(8);
		assertThat(gauge(SinkMetric.MEMORY)).isZero();
	}

	@Test
	void checksTheOtherStreamsAndGoesOnIfOneHasABug() {
		List<String> failures = new ArrayList<>();
		Supervisor supervisor = new Supervisor(failures::add);
		Runnable check = supervisor.guard("limits", this.sink.service::check);
		List<ClientStream> clients = IntStream.range(0, 3).mapToObj((_) -> client(false)).toList();
		clients.forEach((client) -> client.send("a" + clients.indexOf(client)));
		this.store.completeAll();
		runTimers();
		this.broken = 1;
		check.run();
		pass(PROPERTIES.stream().stallTimeout().plusSeconds(1));

		check.run();

		assertThat(supervisor.failing()).containsKey("limits");
		this.broken = -1;
		clients.forEach((client) -> client.call.request(100));
		assertThat(clients).extracting(ClientStream::status)
			.containsExactly(Status.Code.DEADLINE_EXCEEDED, null, Status.Code.DEADLINE_EXCEEDED);
		assertThat(failures).containsExactly("limits", "limits");
		check.run();
		assertThat(supervisor.failing()).isEmpty();
	}

	@Test
	void endsAStreamThatHasReachedItsAgeAfterStoringWhatItHas() {
		ClientStream client = client(true);
		pass(Duration.ofMinutes(26));
		this.sink.service.check();
		client.send("a");
		client.send("b");
		assertThat(this.store.pendingIds()).containsExactly("a", "b");

		pass(Duration.ofMinutes(5));
		this.sink.service.check();
		client.send("late");
		this.store.completeAll();
		runTimers();

		assertThat(client.acked()).containsExactly("a", "b");
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(client(true).ended).isFalse();
	}

	private void pass(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

	@Test
	void letsEachStreamGoOnWhenTheMemoryOfAllWasUsedUp() {
		List<ClientStream> clients = IntStream.range(0, 3).mapToObj((_) -> client(true)).toList();
		for (int i = 0; i < 8; i++) {
			int number = i;
			clients.forEach((client) -> client.send(clients.indexOf(client) + "-" + number, 700));
		}
		assertThat(counter(SinkMetric.RECEIVED)).isLessThan(24);

		completeEverything();

		assertThat(clients).allSatisfy((client) -> assertThat(client.acked()).hasSize(8));
	}

	@Test
	void takesNoMoreFromAClientThatDoesNotRead() {
		ClientStream client = client(false);
		storeOneByOne(client, 100);

		// Some acknowledgements fit into the transport before it is no longer ready.
		assertThat(counter(SinkMetric.RECEIVED)).isLessThan(100);

		for (int i = 0; i < 50; i++) {
			client.call.request(10);
			completeEverything();
		}
		assertThat(counter(SinkMetric.RECEIVED)).isEqualTo(100);
		assertThat(client.acked()).hasSize(100 - (int) counter(SinkMetric.DROPPED)).doesNotHaveDuplicates();
	}

	@Test
	void endsWellOnceAllIsAcknowledged() {
		ClientStream client = client(true);
		client.send("a");
		client.send("b");
		client.call.onCompleted();
		assertThat(client.ended).isFalse();

		this.store.complete("a");
		runTimers();
		assertThat(client.ended).isFalse();

		this.store.complete("b");
		assertThat(client.acked()).containsExactly("a", "b");
		assertThat(client.ended).isTrue();
		assertThat(client.failure).isNull();
	}

	@Test
	void endsWithTheStatusOfAMessageThatCannotBeNamedAfterStoringTheOthers() {
		ClientStream client = client(true);
		client.send("good");
		client.send("late");
		this.store.complete("good");

		client.send(request("bad").setVersion(7).setPlainMessage(ByteString.EMPTY));
		assertThat(client.acked()).containsExactly("good");
		assertThat(client.ended).isFalse();

		this.store.complete("late");
		assertThat(client.acked()).containsExactly("good", "late");
		assertThat(client.status()).isEqualTo(Status.Code.INVALID_ARGUMENT);
	}

	@Test
	void refusesABadMessageByNameAndGoesOn() {
		ClientStream client = client(true);
		client.send("before");
		byte[] frame = Zstd.compress("x".repeat(900).getBytes());

		client.send(request("bomb").setZstdCompressed(ByteString.copyFrom(Zstd.compress(new byte[50_000_000]))));
		client.send(request("cut").setZstdCompressed(ByteString.copyFrom(frame, 0, frame.length - 3)));
		client.send(request("large").setPlainMessage(ByteString.copyFrom(new byte[1_001])));
		client.send(request("nothing"));
		client.send("after");
		completeEverything();

		assertThat(client.refusals()).containsExactlyInAnyOrder("bomb: RESOURCE_EXHAUSTED", "cut: INVALID_ARGUMENT",
				"large: RESOURCE_EXHAUSTED", "nothing: INVALID_ARGUMENT");
		assertThat(client.acked()).containsExactlyInAnyOrder("before", "after");
		assertThat(client.ended).isFalse();
		assertThat(counter(SinkMetric.REFUSED)).isEqualTo(4);
	}

	@Test
	void endsAsUnavailableWhenTheStoreDoesNotAnswerAndStillStoresOnce() {
		ClientStream client = client(true);
		client.send("a");
		client.send("b");
		this.store.complete("a");
		this.nanoTime.addAndGet(PROPERTIES.store().timeout().toNanos());
		this.sink.service.check();
		assertThat(client.ended).isFalse();

		this.nanoTime.addAndGet(1);
		this.sink.service.check();

		assertThat(client.acked()).containsExactly("a");
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(gauge(SinkMetric.IN_FLIGHT)).isZero();
		assertThat(gauge(SinkMetric.MEMORY)).isZero();
		ClientStream next = client(true);
		next.send("b");
		assertThat(this.store.pendingIds()).as("it is still being stored").containsExactly("b");
		this.store.complete("b");
		assertThat(next.acked()).containsExactly("b");
		assertThat(gauge(SinkMetric.MEMORY)).as("nothing is released twice").isZero();
	}

	@Test
	void forgetsWhatTheStoreDoesNotAnswerAlsoWhenTheClientHasGone() {
		ClientStream client = client(true);
		client.send("a");
		client.call.cancel("gone", null);
		assertThat(gauge(SinkMetric.MEMORY)).as("the storage has it").isPositive();

		this.nanoTime.addAndGet(PROPERTIES.store().timeout().toNanos() + 1);
		this.sink.service.check();

		assertThat(gauge(SinkMetric.MEMORY)).isZero();
	}

	@Test
	void refusesWhatTheStoreNeverTakes() {
		ClientStream client = client(true);
		client.send("a");

		this.store.fail("a", new MessageTooLargeException("too large", new IllegalArgumentException()));

		assertThat(client.refusals()).containsExactly("a: RESOURCE_EXHAUSTED");
		assertThat(client.ended).isFalse();
	}

	@Test
	void storesASingleMessage() {
		ClientStream one = store(request("one").setPlainMessage(ByteString.copyFromUtf8("payload")));
		assertThat(one.acked()).isEmpty();
		this.store.complete("one");
		assertThat(one.acked()).containsExactly("one");

		assertThat(store(request("bad")).status()).isEqualTo(Status.Code.INVALID_ARGUMENT);
		ClientStream late = store(request("late").setPlainMessage(ByteString.EMPTY));
		this.store.fail("late", new StoreUnavailableException("down"));
		assertThat(late.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(counter(SinkMetric.ACKED)).isOne();
	}

	private ClientStream store(Request.Builder request) {
		return new ClientStream((call) -> DataSinkGrpc.newStub(this.sink.channel).store(request.build(), call));
	}

	@Test
	void letsSingleMessagesWaitForRoomInTheStorage() {
		client(true).sendMany(STORING);
		ClientStream waits = store(zeros("waits"));
		assertThat(this.store.pending()).isEqualTo(STORING);

		this.store.completeAll();
		this.store.complete("waits");

		assertThat(waits.acked()).containsExactly("waits");
	}

	@Test
	void takesNoSingleMessageWhileItShutsDownAndAnswersTheOthers() {
		ClientStream one = store(request("one").setPlainMessage(ByteString.EMPTY));

		this.sink.service.drain();
		ClientStream late = store(request("late").setPlainMessage(ByteString.EMPTY));
		this.store.complete("one");

		assertThat(one.acked()).containsExactly("one");
		assertThat(late.failure).hasMessageContaining("shutting down");
		assertThat(this.store.pending()).isZero();
	}

	@Test
	void acknowledgesARepeatAgainAndStoresItOnce() {
		ClientStream client = client(true);
		client.send("a");
		client.send("a");
		assertThat(this.store.pending()).as("waits for the first").isEqualTo(1);

		this.store.complete("a");
		client.send("a");

		assertThat(client.acked()).containsExactly("a", "a", "a");
		assertThat(this.store.pending()).isZero();
		assertThat(counter(SinkMetric.STORED)).isEqualTo(1);
		assertThat(counter(SinkMetric.REPEATED)).isEqualTo(2);
	}

	@Test
	void drainingAcknowledgesWhatIsInProcessAndTakesNoMore() {
		ClientStream client = client(true);
		client.send("a");
		client.send("b");

		this.sink.service.drain();
		client.send("c");
		assertThat(client.ended).isFalse();
		assertThat(this.store.pending()).isEqualTo(2);

		this.store.completeAll();
		runTimers();
		assertThat(client.acked()).containsExactly("a", "b");
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(client(true).status()).isEqualTo(Status.Code.UNAVAILABLE);
	}

	@Test
	void refusesStreamsBeyondTheirNumber() {
		List<ClientStream> clients = IntStream.range(0, 3).mapToObj((_) -> client(true)).toList();

		assertThat(client(true).status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);

		clients.getFirst().call.onCompleted();
		assertThat(client(true).ended).isFalse();
	}

	@Test
	void countsWhatWaitsForTheStorage() {
		ClientStream client = client(true);
		client.sendMany(STORING + 3);
		assertThat(gauge(SinkMetric.QUEUED)).isEqualTo(3);
		assertThat(gauge(SinkMetric.IN_FLIGHT)).isEqualTo(STORING + 3);

		this.store.complete("0", "1");
		assertThat(gauge(SinkMetric.QUEUED)).isOne();
		for (int i = 0; i < CAPACITY + 1; i++) {
			client.send("more-" + i);
		}
		assertThat(counter(SinkMetric.DROPPED)).isEqualTo(2);
		assertThat(gauge(SinkMetric.QUEUED)).as("what is dropped waits no more").isEqualTo(CAPACITY);
	}

	@Test
	void countsEachMessageOfAStreamThatFailsOnce() {
		ClientStream client = client(true);
		client.sendMany(STORING + 3);
		this.store.complete("0");

		this.store.fail("1", new StoreUnavailableException("down"));

		assertThat(client.acked()).containsExactly("0");
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
	}

	@Test
	void aClientThatReadsAllNowAndThenIsNotEnded() {
		ClientStream client = client(false);
		for (int i = 0; i < 5; i++) {
			client.send(Integer.toString(i));
			this.store.completeAll();
			runTimers();
			this.sink.service.check();
			pass(Duration.ofSeconds(20));
			this.sink.service.check();
			while (client.acked().size() <= i) {
				client.call.request(1);
			}
			this.sink.service.check();
		}

		assertThat(client.ended).isFalse();
	}

	@Test
	void makesRoomInTheStorageForStreamsThatWait() {
		ClientStream first = client(true);
		first.sendMany(STORING);
		ClientStream second = client(true);
		second.send("waits");
		assertThat(this.store.pendingIds()).doesNotContain("waits");

		first.call.cancel("gone", null);
		assertThat(this.store.pendingIds()).as("the storage has as much as before").doesNotContain("waits");
		this.store.complete("0");

		assertThat(this.store.pendingIds()).contains("waits");
	}

	@Test
	void countsWhatItDoes() {
		ClientStream client = client(true);
		client.sendMany(5);
		this.store.complete("0", "1", "2", "3");

		assertThat(Stream.of(SinkMetric.RECEIVED, SinkMetric.STORED, SinkMetric.ACKED).map(this::counter))
			.containsExactly(5.0, 4.0, 4.0);
		assertThat(Stream.of(SinkMetric.IN_FLIGHT, SinkMetric.STREAMS).map(this::gauge)).containsExactly(1.0, 1.0);
		assertThat(this.sink.registry.get(SinkMetric.STORE_DURATION.key()).timer().count()).isEqualTo(4);
		assertThat(this.sink.registry.getMeters()).extracting(Meter::getId)
			.extracting(Meter.Id::getName)
			.containsExactlyInAnyOrder(Arrays.stream(SinkMetric.values())
				.filter((metric) -> metric != SinkMetric.THREAD_FAILURES)
				.map(SinkMetric::key)
				.toArray(String[]::new));
	}

	/** The call whose number is {@link #broken} fails when it is asked for its state. */
	private <Q, R> ServerCall.Listener<Q> breakable(ServerCall<Q, R> call, Metadata headers,
			ServerCallHandler<Q, R> next) {
		int number = this.calls++;
		return next.startCall(new SimpleForwardingServerCall<>(call) {

			@Override
			public boolean isReady() {
				if (SinkStreamTests.this.broken == number) {
					throw new IllegalStateException("a bug");
				}
				return super.isReady();
			}

		}, headers);
	}

	private void runTimers() {
		List<Runnable> due = List.copyOf(this.timers);
		this.timers.clear();
		due.forEach(Runnable::run);
	}

	private void completeEverything() {
		for (int i = 0; i < 50; i++) {
			this.store.completeAll();
			runTimers();
		}
	}

	private double counter(SinkMetric metric) {
		return this.sink.counter(metric);
	}

	private double gauge(SinkMetric metric) {
		return this.sink.gauge(metric);
	}

	private ClientStream client(boolean reads) {
		this.clients.add(new ClientStream(this.sink.channel, reads));
		return this.clients.getLast();
	}

	private static Request.Builder request(String id) {
		return Request.newBuilder().setVersion(1).setMessageId(ByteString.copyFromUtf8(id));
	}

	/** Some 20 bytes that decompress to 900. */
	private static Request.Builder zeros(String id) {
		return request(id).setZstdCompressed(ByteString.copyFrom(Zstd.compress(new byte[900])));
	}

	/** A timer whose tasks run only when a test runs them. */
	private static final class ManualTimer extends ScheduledThreadPoolExecutor {

		private final List<Runnable> timers;

		ManualTimer(List<Runnable> timers) {
			super(0);
			this.timers = timers;
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			assertThat(unit.toMillis(delay)).isEqualTo(PROPERTIES.stream().ackDelay().toMillis());
			this.timers.add(task);
			return null;
		}

	}

}
