package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.threads.Supervisor;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.micrometer.core.instrument.Meter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

	private static final Map<String, Completed> RESULTS = Map.of("STORED", Completed.STORED, "REPEATED",
			Completed.REPEATED, "too-large",
			new Completed(null, Status.RESOURCE_EXHAUSTED.withDescription("too large")), "down",
			Completed.notNow("down"), "differs",
			new Completed(null, Status.ALREADY_EXISTS.withDescription("has the sequence 2")), "forgotten",
			new Completed(null, Status.FAILED_PRECONDITION.withDescription("forgotten")));

	private static final Pattern MESSAGE = Pattern.compile("(\\w*)(?:#(\\d+))?(?:/(\\w+))?([-~!?]?)");

	private final FakeStore store = new FakeStore();

	/** Number of tasks given to the executor. */
	private int handedOver;

	private final List<Runnable> timers = new ArrayList<>();

	private final AtomicLong nanoTime = new AtomicLong(-1_000_000);

	private int calls;

	private int broken = -1;

	private final List<ClientStream> clients = new ArrayList<>();

	/** The one that acts. */
	private ClientStream client;

	private InProcessSink sink;

	/** The payload of each message that a script has sent. */
	private final Map<String, ByteString> sent = new HashMap<>();

	/** Of messages with a number; null if nobody tells. */
	private @Nullable Session session;

	private final Map<ClientStream, Session> announced = new HashMap<>();

	private final Script script = new Script().word("open", (how) -> client(!how.contains("unread")))
		.word("first", (_) -> this.client = this.clients.getFirst())
		.word("send", (messages) -> messages.forEach((each) -> this.client.send(alone(each))))
		.word("batch", (messages) -> this.client.send(batch(messages)))
		.word("single", (message) -> {
			this.announced.clear();
			single(alone(message.getFirst()).build());
		})
		.word("many",
				(count) -> IntStream.range(0, Integer.parseInt(count.getFirst()))
					.forEach((i) -> this.client.send(alone(Integer.toString(i)))))
		.word("one-by-one", (count) -> storeOneByOne(this.client, Integer.parseInt(count.getFirst())))
		.word("read", (count) -> this.client.call.request(Integer.parseInt(count.getFirst())))
		.word("complete", (_) -> this.client.call.onCompleted())
		.word("cancel", (_) -> this.client.call.cancel("gone", null))
		.word("stored", this::stored)
		.word("fails", (id) -> this.store.fail(id.getFirst(), RESULTS.get(id.getLast())))
		.word("answers", (results) -> this.store.answerWith(results.stream().map(RESULTS::get).toList()))
		.word("session", this::session)
		.word("timers", (_) -> runTimers())
		.word("finish", (_) -> completeEverything())
		.word("pass", (time) -> pass(Script.time(time.getFirst())))
		.word("check", (_) -> this.sink.service.check())
		.word("drain", (_) -> this.sink.service.drain())
		.shown("storing", this.store::pendingIds)
		.shown("keys", this.store::pendingKeys)
		.shown("together", () -> this.store.together().stream().map(String::valueOf).toList())
		.shown("places",
				() -> this.store.places()
					.stream()
					.map((place) -> place.session().id().toStringUtf8() + "#" + place.sequence())
					.toList())
		.shown("new", () -> this.store.places().stream().map(Place::isNew).map(String::valueOf).toList())
		.shown("acked", () -> this.client.acked())
		.shown("acks", () -> this.client.ackBatches().stream().map(String::valueOf).toList())
		.shown("refused", () -> this.client.refusals())
		.shown("ended", () -> List.of(end()))
		.shown("told",
				() -> List.of("dropped", told(ServiceMessage::getDropped), "of",
						told(ServiceMessage::getQueueCapacity)))
		.is(this::state);

	@BeforeEach
	void start() throws Exception {
		session(List.of("a"));
		this.sink = new InProcessSink(this.store, new Decompressor(PROPERTIES.limits().maxMessageBytes(), null),
				(task) -> {
					this.handedOver++;
					task.run();
				}, PROPERTIES, new ManualTimer(this.timers), this.nanoTime::get, this::breakable);
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

	/**
	 * A message is an id, which may have a number and a key, {@code id#1/key}, and an
	 * end: {@code -} has no payload, {@code ~} one that is compressed, {@code !} an
	 * unknown version, and {@code ?} has no id.
	 */
	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				stores, acknowledges and refuses each message of a batch by itself, in their order
					open; batch a empty- z~ b; send c; storing a z b c; refused empty: INVALID_ARGUMENT; is received=5
					stored b c; timers; acked b c; stored z a; timers; acked b c z a
				stores nothing of a batch with a message that cannot be named
					open; send before; batch a ?; storing before; stored before; acked before; ended INVALID_ARGUMENT
				drops the oldest of a queue that a batch overfills
					open; batch 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24
					told dropped 15 of 10; storing 15 16 17 18 19 20 21 22 23 24
					finish; acked 15 16 17 18 19 20 21 22 23 24
				drops the oldest of a full queue, and tells the client
					open; many 25; storing 0 1 2 3 4 5 6 7 8 9 10 11; is dropped=3; told dropped 3 of 10
					finish; acked 0 1 2 3 4 5 6 7 8 9 10 11 15 16 17 18 19 20 21 22 23 24
				acknowledges a full batch at once, another one after a time, and the last as nothing could join it
					open; many 10; stored 0 1 2; acks; stored 3; acks 4; stored 4 5; acks 4
					timers; acks 4 2; stored 6 7 8 9; acks 4 2 4
				decompresses no more than its memory: four messages are below the limit
					open; send 0~ 1~ 2~ 3~ 4~ 5~ 6~ 7~ 8~ 9~ 10~ 11~ 12~ 13~; storing 0 1 2 3 4
					finish; acked 0 1 2 3 4 5 6 7 8 9 10 11 12 13; is dropped=0
				counts acknowledgements that its client does not read
					open unread; one-by-one 8; is held=true
				ends a stream whose client does not read what it is owed
					open unread; one-by-one 8; check; pass 30s; check; is streams=1; pass 1s; check; read 100
					ended DEADLINE_EXCEEDED; acked 0 1 2 3 4 5 6 7; is memory=0
				ends a stream that has reached its age after storing what it has
					open; pass 26m; check; send a b; storing a b; pass 5m; check; send late; stored a b; timers
					acked a b; ended UNAVAILABLE; open; ended no
				ends well once all is acknowledged
					open; send a b; complete; ended no; stored a; timers; ended no; stored b; acked a b; ended OK
				ends with the status of a message that cannot be named after storing the others
					open; send good late; stored good; send bad!; acked good; ended no
					stored late; acked good late; ended INVALID_ARGUMENT
				ends as unavailable when the store does not answer, still stores once, and releases nothing twice
					open; send a b; stored a; pass 5m; check; ended no; pass 1ns; check; acked a; ended UNAVAILABLE
					is in-flight=0 memory=0; open; send b; storing b; stored b; acked b; is memory=0
				forgets what the store does not answer also when the client has gone
					open; send a; cancel; is held=true; pass 5m; pass 1ns; check; is held=false
				refuses what the store never takes
					open; send a; fails a too-large; refused a: RESOURCE_EXHAUSTED; ended no
				stores a single message
					single one; acked; stored one; acked one; is acked=1
					single bad-; ended INVALID_ARGUMENT; single late; fails late down; ended UNAVAILABLE; is acked=1
				lets single messages wait for room in the storage
					open; many 12; single waits~; storing 0 1 2 3 4 5 6 7 8 9 10 11; stored 0; stored waits; acked waits
				takes no single message while it shuts down, and answers the others
					single one; drain; single late; ended UNAVAILABLE; first; stored one; acked one; storing
				acknowledges a repeat again and stores it once
					open; send a a; storing a; stored a; send a; acked a a a; storing; is stored=1 repeated=2
				acknowledges what is in process when it drains, and takes no more
					open; send a b; drain; send c; ended no; storing a b; stored a b; timers; acked a b
					ended UNAVAILABLE; open; ended UNAVAILABLE
				refuses streams beyond their number
					open; open; open; open; ended RESOURCE_EXHAUSTED; first; complete; open; ended no
				counts what waits for the storage, and nothing that is dropped
					open; many 15; is queued=3 in-flight=15; stored 0 1; is queued=1
					send a b c d e f g h i j k; is dropped=2 queued=10
				counts each message of a stream that fails once
					open; many 15; stored 0; fails 1 down; acked 0; ended UNAVAILABLE
				makes room in the storage for streams that wait, when it has stored a message, not when a client goes
					open; many 12; open; send waits; first; cancel; storing 0 1 2 3 4 5 6 7 8 9 10 11
					stored 0; storing 1 2 3 4 5 6 7 8 9 10 11 waits
				gives the store what has a number without another thread, unless it has to decompress it
					open; send a#1 b#2; storing a b; is handed-over=0; send c; storing a b c; is handed-over=1
					stored a b c; send d#3~; storing d; is handed-over=2
				gives the store the numbered messages of a request together
					open; batch a#1 b#2 c d#3; together 2 1; places session-a#1 session-a#2 session-a#3
					stored a b c d; acked a b c d
				never gives the store messages of two sessions together
					open; batch a#1 b#2 c#3 d#4 e#5 f#6 g#7 h#8 i#9 j#10; batch k#11 l#12
					session b; send m#1; session c; send n#1; stored a b c d e f g h i j; together 10 2 1 1
				acknowledges a repeat and refuses what the store refuses
					open; answers REPEATED differs forgotten; batch a#1 b#2 c#3; timers; acked a
					refused b: ALREADY_EXISTS c: FAILED_PRECONDITION; ended no
				refuses a message before another one ends the stream: else the client would send the same for ever
					open; answers down REPEATED too-large; batch a#1 b#2 large#3
					refused large: RESOURCE_EXHAUSTED; acked b; ended UNAVAILABLE
				keeps the routing key
					open; send a#1/customer; keys customer
				tells the store what is new to the client: a repeat is not, and may be below the highest number
					session a 2; open; send a#1 b#2 b#2; new false true false
				takes single messages with their session
					single a#1; places session-a#1; stored a; acked a; session none; single b#2; ended INVALID_ARGUMENT
				ends a stream with a number but no session
					session none; open; send a#1; ended INVALID_ARGUMENT; storing
				""");
	}

	private void stored(List<String> ids) {
		for (String id : ids) {
			FakeStore.Pending message = this.store.take(id);
			assertThat(message.payload()).isEqualTo(this.sent.get(id).toByteArray());
			message.done().complete(Completed.STORED);
		}
	}

	private String end() {
		return !this.client.ended ? "no" : (this.client.status() != null) ? this.client.status().name() : "OK";
	}

	private String state() {
		Stream<String> metrics = Stream
			.of(SinkMetric.RECEIVED, SinkMetric.STORED, SinkMetric.REPEATED, SinkMetric.DROPPED, SinkMetric.ACKED)
			.map((metric) -> metric.name().toLowerCase(Locale.ROOT) + "=" + (long) counter(metric));
		return "handed-over=%s queued=%s in-flight=%s streams=%s memory=%s held=%s %s".formatted(this.handedOver,
				(long) gauge(SinkMetric.QUEUED), (long) gauge(SinkMetric.IN_FLIGHT), (long) gauge(SinkMetric.STREAMS),
				(long) gauge(SinkMetric.MEMORY), gauge(SinkMetric.MEMORY) > 0,
				metrics.collect(Collectors.joining(" ")));
	}

	private String told(ToLongFunction<ServiceMessage> number) {
		return Long.toString(number.applyAsLong(this.client.infos().getLast()));
	}

	private void session(List<String> name) {
		this.session = name.getFirst().equals("none") ? null
				: Session.newBuilder()
					.setId(ByteString.copyFromUtf8("session-" + name.getFirst()))
					.setFirstUnsettled(1)
					.setFirstNew((name.size() > 1) ? Long.parseLong(name.getLast()) : 0)
					.build();
	}

	private Request.Builder alone(String message) {
		BatchedMessage.Builder one = message(message);
		Request.Builder alone = request(message.endsWith("!") ? 7 : 1, one).setMessageId(one.getMessageId())
			.setRoutingKey(one.getRoutingKey())
			.setSequence(one.getSequence());
		return switch (one.getPayloadCase()) {
			case PLAIN_MESSAGE -> alone.setPlainMessage(one.getPlainMessage());
			case ZSTD_COMPRESSED -> alone.setZstdCompressed(one.getZstdCompressed());
			case PAYLOAD_NOT_SET -> alone;
		};
	}

	private Request.Builder batch(List<String> messages) {
		List<BatchedMessage.Builder> all = messages.stream().map(this::message).toList();
		Request.Builder batch = request(1, all.getFirst());
		all.forEach(batch::addMessages);
		return batch;
	}

	/** A client tells of its session once. */
	private Request.Builder request(int version, BatchedMessage.Builder first) {
		Request.Builder request = Request.newBuilder().setVersion((first.getSequence() > 0) ? 2 : version);
		if (first.getSequence() > 0 && this.session != null
				&& !this.session.equals(this.announced.put(this.client, this.session))) {
			request.setSession(this.session);
		}
		return request;
	}

	private BatchedMessage.Builder message(String text) {
		Matcher parts = MESSAGE.matcher(text);
		assertThat(parts.matches()).as(text).isTrue();
		String id = parts.group(1);
		ByteString payload = text.endsWith("~") ? ByteString.copyFrom(new byte[900])
				: ByteString.copyFromUtf8("payload of " + id);
		this.sent.put(id, payload);
		BatchedMessage.Builder message = BatchedMessage.newBuilder()
			.setMessageId(ByteString.copyFromUtf8(id))
			.setSequence((parts.group(2) != null) ? Long.parseLong(parts.group(2)) : 0)
			.setRoutingKey(ByteString.copyFromUtf8((parts.group(3) != null) ? parts.group(3) : ""));
		return switch (parts.group(4)) {
			case "-" -> message;
			case "~" -> message.setZstdCompressed(ByteString.copyFrom(Zstd.compress(payload.toByteArray())));
			default -> message.setPlainMessage(payload);
		};
	}

	private void single(Request request) {
		this.client = new ClientStream((call) -> DataSinkGrpc.newStub(this.sink.channel).store(request, call));
		this.clients.add(this.client);
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

	/** Like a client that sends timed-out messages again, behind those in the queue. */
	@Test
	void endsAStreamWhoseNumberedMessageItDropsAndStoresNothingBehindThat() {
		ClientStream client = client(true);
		for (int i = 1; i <= STORING + CAPACITY + 3 && !client.ended; i++) {
			client.send(alone(i + "#" + i));
		}

		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(counter(SinkMetric.DROPPED)).isOne();
		completeEverything();
		assertThat(this.store.places()).extracting(Place::sequence)
			.containsExactlyElementsOf(LongStream.rangeClosed(1, STORING).boxed().toList());
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

	private void storeOneByOne(ClientStream client, int messages) {
		for (int i = 0; i < messages; i++) {
			client.send(Integer.toString(i));
			this.store.completeAll();
			runTimers();
		}
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

		assertThat(supervisor.health().getDetails()).containsKey("limits");
		this.broken = -1;
		clients.forEach((client) -> client.call.request(100));
		assertThat(clients).extracting(ClientStream::status)
			.containsExactly(Status.Code.DEADLINE_EXCEEDED, null, Status.Code.DEADLINE_EXCEEDED);
		assertThat(failures).containsExactly("limits", "limits");
		check.run();
		assertThat(supervisor.health().getDetails()).isEmpty();
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
	void countsWhatItDoes() {
		this.script.play("open; many 5; stored 0 1 2 3; is received=5 stored=4 acked=4 in-flight=1 streams=1");

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
		this.client = new ClientStream(this.sink.channel, reads);
		this.clients.add(this.client);
		return this.client;
	}

	private static Request.Builder request(String id) {
		return Request.newBuilder().setVersion(1).setMessageId(ByteString.copyFromUtf8(id));
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
