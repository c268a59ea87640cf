package dev.sluice.consumer.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.sink.Request;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.ScriptedSink;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SinkBackendTests {

	private static final Duration LONG = Patience.ofSeconds(60);

	private static final Duration SHORT = Duration.ofMillis(50);

	private final QueuedOrder order = new QueuedOrder(UUID.randomUUID(), "c-1", Instant.EPOCH, null,
			"{\"customerId\":\"c-1\"}".getBytes());

	private final ScriptedSink sink = new ScriptedSink();

	@BeforeEach
	void start() {
		this.sink.greeting = true;
	}

	@AfterEach
	void stop() {
		this.sink.close();
	}

	@Test
	void isSavedOnceTheSinkHasIt() throws Exception {
		try (SinkBackend backend = backend(LONG)) {
			CompletableFuture<Attempt> attempt = CompletableFuture.supplyAsync(() -> backend.deliver(this.order));
			await().until(() -> this.sink.requests.size() == 1);
			assertThat(attempt).isNotDone();
			Request message = this.sink.requests.getFirst();
			assertThat(message.getMessageId().toStringUtf8()).isEqualTo(this.order.id().toString());
			assertThat(message.getPlainMessage().toByteArray()).isEqualTo(this.order.body());

			this.sink.ack(List.of(message.getMessageId()));

			assertThat(attempt.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Attempt.Saved(null));
		}
	}

	@Test
	void isRejectedIfTheSinkNeverTakesIt() throws Exception {
		try (SinkBackend backend = backend(LONG)) {
			CompletableFuture<Attempt> attempt = CompletableFuture.supplyAsync(() -> backend.deliver(this.order));
			await().until(() -> this.sink.requests.size() == 1);

			this.sink.refuse(this.sink.requests.getFirst().getMessageId(), Status.Code.RESOURCE_EXHAUSTED);

			assertThat(attempt.get(LONG.toSeconds(), TimeUnit.SECONDS)).isInstanceOfSatisfying(Attempt.Rejected.class,
					(rejected) -> {
						assertThat(rejected.why().reason()).isEqualTo("The backend refused the order (status 8).");
						assertThat(rejected.why().detail()).contains("no room");
					});
		}
	}

	@Test
	void isTriedAgainIfTheSinkDoesNotAcknowledgeInTime() throws Exception {
		try (SinkBackend backend = backend(SHORT)) {
			assertThat(backend.deliver(this.order)).isInstanceOf(Attempt.RetryLater.class);
			await().until(() -> this.sink.requests.size() == 1);
			assertThat(backend.deliver(this.order)).isEqualTo(new Attempt.RetryLater(
					new FailureReason("The backend did not answer within 50 ms.", "the sink did not acknowledge"),
					Attempt.Reach.UNANSWERED));
			assertThat(this.sink.requests).hasSize(1);

			// As the sink does, which stores it once.
			this.sink.acknowledging = true;
			this.sink.ack(List.of(this.sink.requests.getFirst().getMessageId()));

			await().untilAsserted(() -> assertThat(backend.deliver(this.order)).isEqualTo(new Attempt.Saved(null)));
		}
	}

	@Test
	void saysThatASinkThatIsAwayWasNotReached() throws Exception {
		this.sink.close();
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
		return new SinkBackend(this.sink.builder(), responseTimeout);
	}

}
