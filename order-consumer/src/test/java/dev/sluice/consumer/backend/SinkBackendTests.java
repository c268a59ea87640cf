package dev.sluice.consumer.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Refusal;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.devservices.Patience;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SinkBackendTests {

	private static final Duration LONG = Patience.ofSeconds(60);

	private static final Duration SHORT = Duration.ofMillis(50);

	private final String name = InProcessServerBuilder.generateName();

	private final QueuedOrder order = new QueuedOrder(UUID.randomUUID(), "c-1", Instant.EPOCH, null,
			"{\"customerId\":\"c-1\"}".getBytes());

	private final FakeSink sink = new FakeSink();

	private Server server;

	@BeforeEach
	void start() throws Exception {
		this.server = InProcessServerBuilder.forName(this.name).addService(this.sink).build().start();
	}

	@AfterEach
	void stop() throws Exception {
		this.server.shutdownNow().awaitTermination(LONG.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void isSavedOnceTheSinkHasIt() throws Exception {
		try (SinkBackend backend = backend(LONG)) {
			CompletableFuture<Attempt> attempt = CompletableFuture.supplyAsync(() -> backend.deliver(this.order));
			await().until(() -> this.sink.received.size() == 1);
			assertThat(attempt).isNotDone();
			Request message = this.sink.received.getFirst();
			assertThat(message.getMessageId().toStringUtf8()).isEqualTo(this.order.id().toString());
			assertThat(message.getPlainMessage().toByteArray()).isEqualTo(this.order.body());

			this.sink.ack(message.getMessageId());

			assertThat(attempt.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Attempt.Saved(null));
		}
	}

	@Test
	void isRejectedIfTheSinkNeverTakesIt() throws Exception {
		try (SinkBackend backend = backend(LONG)) {
			CompletableFuture<Attempt> attempt = CompletableFuture.supplyAsync(() -> backend.deliver(this.order));
			await().until(() -> this.sink.received.size() == 1);

			this.sink.refuse(this.sink.received.getFirst().getMessageId());

			assertThat(attempt.get(LONG.toSeconds(), TimeUnit.SECONDS)).isInstanceOfSatisfying(Attempt.Rejected.class,
					(rejected) -> {
						assertThat(rejected.why().reason()).isEqualTo("The backend refused the order (status 8).");
						assertThat(rejected.why().detail()).contains("too large");
					});
		}
	}

	@Test
	void isTriedAgainIfTheSinkDoesNotAcknowledgeInTime() throws Exception {
		try (SinkBackend backend = backend(SHORT)) {
			assertThat(backend.deliver(this.order)).isInstanceOf(Attempt.RetryLater.class);
			await().until(() -> this.sink.received.size() == 1);
			assertThat(backend.deliver(this.order)).isEqualTo(new Attempt.RetryLater(
					new FailureReason("The backend did not answer within 50 ms.", "the sink did not acknowledge"),
					Attempt.Reach.UNANSWERED));
			assertThat(this.sink.received).hasSize(1);

			// As the sink does, which stores it once.
			this.sink.acknowledgesAll = true;
			this.sink.ack(this.sink.received.getFirst().getMessageId());

			await().untilAsserted(() -> assertThat(backend.deliver(this.order)).isEqualTo(new Attempt.Saved(null)));
		}
	}

	@Test
	void saysThatASinkThatIsAwayWasNotReached() throws Exception {
		this.server.shutdownNow().awaitTermination(LONG.toSeconds(), TimeUnit.SECONDS);
		try (SinkBackend backend = backend(SHORT)) {
			assertThat(backend.deliver(this.order)).isEqualTo(new Attempt.RetryLater(
					new FailureReason("The backend could not be reached.", "the sink cannot be reached"),
					Attempt.Reach.NOT_REACHED));
		}
	}

	@Test
	void isThrottledWhileTheSinkTakesNoMore() throws Exception {
		byte[] large = new byte[1024 * 1024];
		try (SinkBackend backend = backend(Duration.ofMillis(1))) {
			List<Attempt> attempts = new ArrayList<>();
			for (int i = 0; i < 70; i++) {
				attempts.add(backend.deliver(new QueuedOrder(UUID.randomUUID(), "c-1", Instant.EPOCH, null, large)));
			}
			assertThat(attempts.getFirst()).isInstanceOf(Attempt.RetryLater.class);

			Attempt last = attempts.getLast();

			assertThat(last).isInstanceOfSatisfying(Attempt.Throttled.class, (throttled) -> {
				assertThat(throttled.why().reason()).isEqualTo("The backend takes no more orders at the moment.");
				assertThat(throttled.retryAfter()).isZero();
			});
			QueuedOrder order = new QueuedOrder(new UUID(1, 1), "c-1", Instant.EPOCH, null, large);
			assertThat(backend.deliver(order)).isEqualTo(last);
			assertThat(backend.deliver(order)).as("it waits for no acknowledgement").isEqualTo(last);
		}
	}

	@Test
	void endsItsAttemptWhenItIsInterrupted() throws Exception {
		try (SinkBackend backend = backend(LONG)) {
			Thread.currentThread().interrupt();

			Attempt attempt = backend.deliver(this.order);

			assertThat(Thread.interrupted()).isTrue();
			assertThat(attempt).isInstanceOfSatisfying(Attempt.RetryLater.class, (later) -> {
				assertThat(later.reach()).as("the sink may have it").isEqualTo(Attempt.Reach.UNANSWERED);
				assertThat(later.why().reason()).isEqualTo("The delivery was interrupted.");
			});
			await().until(() -> backend.stats().connected());
		}
	}

	/** The sink's keys are shorter than this one. */
	@Test
	void isTriedAgainIfTheOrderCannotBeSent() throws Exception {
		QueuedOrder unsendable = new QueuedOrder(this.order.id(), "c".repeat(129), Instant.EPOCH, null,
				this.order.body());
		try (SinkBackend backend = backend(LONG)) {
			for (int i = 0; i < 2; i++) {
				assertThat(backend.deliver(unsendable)).isInstanceOfSatisfying(Attempt.RetryLater.class,
						(later) -> assertThat(later.why().detail()).contains("failed with a bug", "129"));
			}
		}
	}

	private SinkBackend backend(Duration responseTimeout) {
		return new SinkBackend(InProcessChannelBuilder.forName(this.name), responseTimeout);
	}

	/** Accepts messages and answers as the test says. */
	private static final class FakeSink extends DataSinkGrpc.DataSinkImplBase {

		private final List<Request> received = new CopyOnWriteArrayList<>();

		private volatile boolean acknowledgesAll;

		private volatile StreamObserver<Response> responses;

		@Override
		public StreamObserver<Request> send(StreamObserver<Response> responses) {
			this.responses = responses;
			responses.onNext(info().build());
			return new StreamObserver<>() {

				@Override
				public void onNext(Request request) {
					FakeSink.this.received.add(request);
					if (FakeSink.this.acknowledgesAll) {
						ack(request.getMessageId());
					}
				}

				@Override
				public void onError(Throwable cause) {
				}

				@Override
				public void onCompleted() {
				}

			};
		}

		synchronized void ack(ByteString id) {
			this.responses
				.onNext(Response.newBuilder().setVersion(1).setAck(AckMessage.newBuilder().addMessageIds(id)).build());
		}

		void refuse(ByteString id) {
			this.responses.onNext(info()
				.setInfo(ServiceMessage.newBuilder()
					.setMaxVersion(2)
					.setQueueCapacity(10)
					.addRefusals(Refusal.newBuilder().setMessageId(id).setCode(8).setDescription("too large")))
				.build());
		}

		private static Response.Builder info() {
			return Response.newBuilder()
				.setVersion(1)
				.setInfo(ServiceMessage.newBuilder().setMaxVersion(2).setQueueCapacity(10));
		}

	}

}
