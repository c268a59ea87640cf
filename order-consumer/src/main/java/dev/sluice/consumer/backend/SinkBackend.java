package dev.sluice.consumer.backend;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.google.protobuf.ByteString;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.SpoolFullException;
import io.grpc.ManagedChannelBuilder;

/**
 * Delivers orders to the sink as messages. The id of a message is the order's, so the
 * sink stores a repeat once. Its key is the customer, so all orders of a customer are in
 * one partition. The client keeps its messages in memory, because Kafka has the orders:
 * the offset of an unacknowledged order is not committed.
 * <p>
 * After the response timeout the client keeps the order. The next attempt waits for the
 * same acknowledgement. If that has arrived meanwhile, the attempt sends the order again.
 * The client is bounded to 64 MB. When it is full, the attempt is throttled.
 */
public final class SinkBackend implements Backend, AutoCloseable {

	/** The sink does not say when it stored the message. */
	private static final Attempt SAVED = new Saved(null);

	private final SinkClient client;

	private final Duration responseTimeout;

	private final ConcurrentMap<ByteString, CompletableFuture<Attempt>> awaited = new ConcurrentHashMap<>();

	/**
	 * Opens a stream without waiting for the sink.
	 * @param channel the channel to the sink
	 * @param responseTimeout how long an attempt waits for the acknowledgement
	 */
	public SinkBackend(ManagedChannelBuilder<?> channel, Duration responseTimeout) {
		this.responseTimeout = responseTimeout;
		this.client = SinkClient.open(channel, SinkClientOptions.inMemory(), new Acknowledgements());
	}

	@Override
	public Attempt deliver(QueuedOrder order) {
		ByteString id = ByteString.copyFrom(order.id().toString(), StandardCharsets.US_ASCII);
		CompletableFuture<Attempt> mine = new CompletableFuture<>();
		CompletableFuture<Attempt> earlier = this.awaited.putIfAbsent(id, mine);
		CompletableFuture<Attempt> outcome = (earlier != null) ? earlier : mine;
		try {
			if (earlier == null) {
				this.client.send(
						new Message(id, order.body(), ByteString.copyFrom(order.customerId(), StandardCharsets.UTF_8)));
			}
			return outcome.get(this.responseTimeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException _) {
			if (this.client.stats().connected()) {
				return new RetryLater(
						FailureReason.notAnsweredWithin(this.responseTimeout, "the sink did not acknowledge"),
						Reach.UNANSWERED);
			}
			return new RetryLater(FailureReason.unreachable("the sink cannot be reached"), Reach.NOT_REACHED);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return new RetryLater(FailureReason.interrupted("the delivery was interrupted"), Reach.UNANSWERED);
		}
		catch (SpoolFullException ex) {
			this.awaited.remove(id, mine);
			return new Throttled(FailureReason.throttled("the sink takes no more: " + ex.getMessage()), Duration.ZERO);
		}
		catch (ExecutionException | RuntimeException ex) {
			// A bug must not lose the order: it becomes a dead letter.
			this.awaited.remove(id, mine);
			return new RetryLater(FailureReason.interrupted("the delivery failed with a bug: " + ex), Reach.UNANSWERED);
		}
	}

	public SinkClient.Stats stats() {
		return this.client.stats();
	}

	@Override
	public void close() {
		this.client.close();
	}

	private final class Acknowledgements implements DeliveryListener {

		@Override
		public void acknowledged(List<ByteString> ids) {
			ids.forEach((id) -> done(id, SAVED));
		}

		@Override
		public void refused(Message message, int code, String description) {
			// Also for RESOURCE_EXHAUSTED: the message is too large.
			done(Objects.requireNonNull(message.id()), new Rejected(FailureReason.refused(code,
					"the sink refused it with status %s: %s".formatted(code, description))));
		}

		private void done(ByteString id, Attempt outcome) {
			CompletableFuture<Attempt> waiting = SinkBackend.this.awaited.remove(id);
			if (waiting != null) {
				waiting.complete(outcome);
			}
		}

	}

}
