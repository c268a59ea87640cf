package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.MessageStore.MessageTooLargeException;
import dev.sluice.sink.MessageStore.StoreUnavailableException;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The whole protocol over an in-process transport whose every callback runs on the test's
 * thread, with a timer that the test moves.
 */
class SinkStreamTests {

	private static final int WINDOW = 10;

	private static final int ACK_BATCH = 4;

	private static final SinkProperties PROPERTIES = new SinkProperties(WINDOW, 3, DataSize.ofBytes(1_000), ACK_BATCH,
			Duration.ofMillis(5), 1, (short) 1);

	private final FakeStore store = new FakeStore();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final List<Runnable> timers = new ArrayList<>();

	private final ScheduledExecutorService timer = new ManualTimer(this.timers);

	private final DataSinkService service = new DataSinkService(this.store, PROPERTIES, new SinkMetrics(this.registry),
			this.timer);

	private Server server;

	private ManagedChannel channel;

	@BeforeEach
	void start() throws Exception {
		String name = InProcessServerBuilder.generateName();
		this.server = InProcessServerBuilder.forName(name).directExecutor().addService(this.service).build().start();
		this.channel = InProcessChannelBuilder.forName(name).directExecutor().build();
	}

	@AfterEach
	void stop() {
		this.channel.shutdownNow();
		this.server.shutdownNow();
		this.timer.shutdownNow();
	}

	@Test
	void tellsItsWindowAtTheStart() {
		Client client = new Client(true);

		assertThat(client.responses).singleElement().satisfies((response) -> {
			assertThat(response.getVersion()).isEqualTo(1);
			assertThat(response.getInfo())
				.isEqualTo(ServiceMessage.newBuilder().setQueueCapacity(WINDOW).setWindow(WINDOW).build());
		});
	}

	@Test
	void acknowledgesOnlyWhatIsStored() {
		Client client = new Client(true);
		client.send("a");
		client.send("b");
		this.timers.forEach(Runnable::run);
		assertThat(client.acked()).isEmpty();

		this.store.complete("b");
		runTimers();
		assertThat(client.acked()).containsExactly("b");

		this.store.complete("a");
		assertThat(client.acked()).containsExactly("b", "a");
	}

	@Test
	void storesThePayloadDecompressed() {
		Client client = new Client(true);
		byte[] payload = "x".repeat(900).getBytes();

		client.call.onNext(request("z").setZstdCompressed(ByteString.copyFrom(Zstd.compress(payload))).build());

		assertThat(this.store.take("z").payload()).isEqualTo(payload);
	}

	@Test
	void acknowledgesInBatches() {
		Client client = new Client(true);
		client.sendMany(WINDOW);

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
	void takesNoMoreThanItsWindowUntilItAcknowledges() {
		Client client = new Client(true);

		client.sendMany(WINDOW + 5);
		assertThat(this.store.pending()).isEqualTo(WINDOW);
		assertThat(gauge(SinkMetric.IN_FLIGHT)).isEqualTo(WINDOW);

		this.store.complete("0", "1", "2");
		assertThat(this.store.pending()).as("stored is not acknowledged").isEqualTo(WINDOW - 3);

		runTimers();
		assertThat(this.store.pending()).isEqualTo(WINDOW);
	}

	@Test
	void takesNoMoreThanItsWindowFromAClientThatDoesNotRead() {
		Client client = new Client(false);
		client.sendMany(3 * WINDOW);

		for (int i = 0; i < 10; i++) {
			this.store.completeAll();
			runTimers();
		}

		// Some acknowledgements fit into the transport before it says that it is not
		// ready.
		int unread = (int) counter(SinkMetric.RECEIVED);
		assertThat(unread).isLessThan(3 * WINDOW);
		assertThat(gauge(SinkMetric.IN_FLIGHT)).isBetween(1.0, (double) WINDOW);

		for (int i = 0; i < 10; i++) {
			client.call.request(10);
			this.store.completeAll();
			runTimers();
		}
		assertThat(client.acked()).hasSize(3 * WINDOW).doesNotHaveDuplicates();
	}

	@Test
	void endsWellOnceAllIsAcknowledged() {
		Client client = new Client(true);
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
		assertThat(gauge(SinkMetric.STREAMS)).isZero();
	}

	@Test
	void endsWellWithoutAnyMessage() {
		Client client = new Client(true);

		client.call.onCompleted();

		assertThat(client.ended).isTrue();
		assertThat(client.failure).isNull();
	}

	@Test
	void endsWithTheStatusOfABadMessageAfterAcknowledgingTheGoodOnes() {
		Client client = new Client(true);
		client.send("good");
		client.send("late");
		this.store.complete("good");

		client.call.onNext(request("bad").setVersion(7).setPlainMessage(ByteString.EMPTY).build());

		assertThat(client.acked()).containsExactly("good");
		assertThat(client.status()).isEqualTo(Status.Code.INVALID_ARGUMENT);
		this.store.completeAll();
		assertThat(client.acked()).containsExactly("good");
		assertThat(gauge(SinkMetric.IN_FLIGHT)).isZero();
	}

	@Test
	void refusesABombAndStoresNothingOfIt() {
		Client client = new Client(true);

		client.call.onNext(
				request("bomb").setZstdCompressed(ByteString.copyFrom(Zstd.compress(new byte[50_000_000]))).build());

		assertThat(client.status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
		assertThat(this.store.pending()).isZero();
	}

	@Test
	void endsAsUnavailableWhenTheStoreFails() {
		Client client = new Client(true);
		client.send("a");
		client.send("b");
		this.store.complete("a");

		this.store.fail("b", new StoreUnavailableException("down"));

		assertThat(client.acked()).containsExactly("a");
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
	}

	@Test
	void endsAsExhaustedWhenTheStoreNeverTakesTheMessage() {
		Client client = new Client(true);
		client.send("a");

		this.store.fail("a", new MessageTooLargeException("too large", new IllegalArgumentException()));

		assertThat(client.status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
	}

	@Test
	void acknowledgesARepeatAgain() {
		Client client = new Client(true);
		client.send("a");
		this.store.complete("a");
		client.send("a");
		this.store.complete("a");

		assertThat(client.acked()).containsExactly("a", "a");
	}

	@Test
	void drainingAcknowledgesWhatIsInProcessAndTakesNoMore() {
		Client client = new Client(true);
		client.send("a");
		client.send("b");

		this.service.drain();
		client.send("c");
		assertThat(client.ended).isFalse();
		assertThat(this.store.pending()).isEqualTo(2);

		this.store.completeAll();
		runTimers();
		assertThat(client.acked()).containsExactly("a", "b");
		assertThat(client.status()).isEqualTo(Status.Code.UNAVAILABLE);
		assertThat(new Client(true).status()).isEqualTo(Status.Code.UNAVAILABLE);
	}

	@Test
	void forgetsAClientThatHasGone() {
		Client client = new Client(true);
		client.send("a");
		client.send("b");
		this.store.complete("a");

		client.call.cancel("gone", null);
		this.store.complete("b");
		runTimers();

		assertThat(gauge(SinkMetric.STREAMS)).isZero();
		assertThat(gauge(SinkMetric.IN_FLIGHT)).isZero();
		assertThat(counter(SinkMetric.STORED)).isEqualTo(2);
		assertThat(counter(SinkMetric.ACKED)).isZero();
	}

	@Test
	void refusesStreamsBeyondTheirNumber() {
		List<Client> clients = IntStream.range(0, 3).mapToObj((_) -> new Client(true)).toList();

		assertThat(new Client(true).status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);

		clients.getFirst().call.onCompleted();
		assertThat(new Client(true).ended).isFalse();
	}

	@Test
	void countsWhatItDoes() {
		Client client = new Client(true);
		client.sendMany(5);
		this.store.complete("0", "1", "2", "3");

		assertThat(counter(SinkMetric.RECEIVED)).isEqualTo(5);
		assertThat(counter(SinkMetric.STORED)).isEqualTo(4);
		assertThat(counter(SinkMetric.ACKED)).isEqualTo(4);
		assertThat(gauge(SinkMetric.IN_FLIGHT)).isEqualTo(1);
		assertThat(gauge(SinkMetric.STREAMS)).isEqualTo(1);
		assertThat(this.registry.get(SinkMetric.STORE_DURATION.key()).timer().count()).isEqualTo(4);
		assertThat(this.registry.getMeters()).extracting(Meter::getId)
			.extracting(Meter.Id::getName)
			.containsExactlyInAnyOrder(
					List.of(SinkMetric.values()).stream().map(SinkMetric::key).toArray(String[]::new));
	}

	private void runTimers() {
		List<Runnable> due = List.copyOf(this.timers);
		this.timers.clear();
		due.forEach(Runnable::run);
	}

	private double counter(SinkMetric metric) {
		return this.registry.get(metric.key()).counter().count();
	}

	private double gauge(SinkMetric metric) {
		return this.registry.get(metric.key()).gauge().value();
	}

	private static Request.Builder request(String id) {
		return Request.newBuilder().setVersion(1).setMessageId(ByteString.copyFromUtf8(id));
	}

	/** A client's end of a stream. */
	private final class Client implements ClientResponseObserver<Request, Response> {

		private final List<Response> responses = new ArrayList<>();

		private final boolean reads;

		private ClientCallStreamObserver<Request> call;

		private boolean ended;

		private @Nullable Throwable failure;

		Client(boolean reads) {
			this.reads = reads;
			DataSinkGrpc.newStub(SinkStreamTests.this.channel).send(this);
		}

		@Override
		public void beforeStart(ClientCallStreamObserver<Request> call) {
			this.call = call;
			if (!this.reads) {
				call.disableAutoRequestWithInitial(0);
			}
		}

		void send(String id) {
			this.call.onNext(request(id).setPlainMessage(ByteString.copyFromUtf8("payload of " + id)).build());
		}

		void sendMany(int messages) {
			for (int i = 0; i < messages; i++) {
				send(Integer.toString(i));
			}
		}

		List<String> acked() {
			return this.responses.stream()
				.flatMap((response) -> response.getAck().getMessageIdsList().stream())
				.map(ByteString::toStringUtf8)
				.toList();
		}

		List<Integer> ackBatches() {
			return this.responses.stream()
				.filter(Response::hasAck)
				.map((response) -> response.getAck().getMessageIdsCount())
				.toList();
		}

		Status.@Nullable Code status() {
			return (this.failure != null) ? Status.fromThrowable(this.failure).getCode() : null;
		}

		@Override
		public void onNext(Response response) {
			this.responses.add(response);
		}

		@Override
		public void onError(Throwable failure) {
			this.ended = true;
			this.failure = failure;
		}

		@Override
		public void onCompleted() {
			this.ended = true;
		}

	}

	/** A timer that runs nothing by itself. */
	private static final class ManualTimer extends ScheduledThreadPoolExecutor {

		private final List<Runnable> timers;

		ManualTimer(List<Runnable> timers) {
			super(0);
			this.timers = timers;
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			assertThat(unit.toMillis(delay)).isEqualTo(PROPERTIES.ackDelay().toMillis());
			this.timers.add(task);
			return null;
		}

	}

}
