package dev.sluice.sink;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.MessageStore.MessageTooLargeException;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of {@code DataSink.Send}: hands each message to the store and acknowledges it
 * once the store has it.
 * <p>
 * At most {@code window} messages are in process, which is from their reception until
 * their acknowledgement is written: one more is asked for only for each one acknowledged.
 * So a client that reads no acknowledgements, or a store that is slow, ends in the client
 * being held back and not in memory. Acknowledgements go out when there are enough for a
 * batch, when the oldest has waited for {@code ackDelay}, and as soon as a client that
 * was too slow to read is ready again.
 * <p>
 * Received = acknowledged + in process, while the stream is open.
 * <p>
 * Called by gRPC (one thread at a time), the store's threads and the timer; one lock
 * guards all state and the writing of responses. Nothing waits under it.
 */
final class SinkStream implements StreamObserver<Request> {

	private static final Logger logger = LoggerFactory.getLogger(SinkStream.class);

	private final ServerCallStreamObserver<Response> responses;

	private final MessageStore store;

	private final SinkProperties properties;

	private final SinkMetrics metrics;

	private final ScheduledExecutorService timer;

	private final Consumer<SinkStream> whenClosed;

	private final Object lock = new Object();

	/** Stored, not acknowledged yet. */
	private final Queue<ByteString> stored = new ArrayDeque<>();

	private Phase phase = Phase.OPEN;

	private int inProcess;

	private boolean flushAwaited;

	SinkStream(ServerCallStreamObserver<Response> responses, MessageStore store, SinkProperties properties,
			SinkMetrics metrics, ScheduledExecutorService timer, Consumer<SinkStream> whenClosed) {
		this.responses = responses;
		this.store = store;
		this.properties = properties;
		this.metrics = metrics;
		this.timer = timer;
		this.whenClosed = whenClosed;
	}

	/** To be called once, before the call's handler returns. */
	void open() {
		this.metrics.opened();
		this.responses.disableAutoRequest();
		this.responses.setOnReadyHandler(this::flush);
		this.responses.setOnCancelHandler(this::cancelled);
		this.responses.onNext(Response.newBuilder()
			.setVersion(Payload.VERSION)
			.setInfo(ServiceMessage.newBuilder()
				.setQueueCapacity(this.properties.window())
				.setWindow(this.properties.window()))
			.build());
		this.responses.request(this.properties.window());
	}

	@Override
	public void onNext(Request request) {
		synchronized (this.lock) {
			if (this.phase != Phase.OPEN) {
				// It is not acknowledged: the client sends it again.
				return;
			}
			this.inProcess++;
			this.metrics.received();
		}
		switch (Payload.read(request, this.properties.maxMessageBytes())) {
			case Payload.Unreadable(Status status) -> end(status);
			case Payload.Readable(byte[] bytes) -> store(request.getMessageId(), bytes);
		}
	}

	@Override
	public void onCompleted() {
		synchronized (this.lock) {
			if (this.phase == Phase.OPEN) {
				this.phase = Phase.HALF_CLOSED;
			}
			flush();
		}
	}

	/** The client has gone. */
	@Override
	public void onError(Throwable cause) {
		cancelled();
	}

	/**
	 * Takes no more messages, acknowledges what is in process once it is stored, and then
	 * ends.
	 */
	void drain() {
		synchronized (this.lock) {
			if (this.phase == Phase.OPEN || this.phase == Phase.HALF_CLOSED) {
				this.phase = Phase.DRAINING;
			}
			flush();
		}
	}

	/** Outside the lock: it may wait for room in the store's buffer, a bounded time. */
	private void store(ByteString id, byte[] payload) {
		Timer.Sample sample = this.metrics.storing();
		this.store.store(id.toByteArray(), payload).whenComplete((_, failure) -> {
			if (failure == null) {
				this.metrics.stored(sample);
				stored(id);
			}
			else {
				failed(failure);
			}
		});
	}

	private void stored(ByteString id) {
		synchronized (this.lock) {
			if (this.phase == Phase.ENDED) {
				return;
			}
			this.stored.add(id);
			if (this.stored.size() >= this.properties.ackBatch() || this.stored.size() == this.inProcess) {
				// A full batch; or nothing else is in process that could join it.
				flush();
			}
			else if (!this.flushAwaited) {
				this.flushAwaited = true;
				awaitMore();
			}
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // It is never cancelled, and may find
													// nothing to do.
	private void awaitMore() {
		this.timer.schedule(this::flush, this.properties.ackDelay().toNanos(), TimeUnit.NANOSECONDS);
	}

	private void flush() {
		synchronized (this.lock) {
			this.flushAwaited = false;
			while (this.phase != Phase.ENDED && !this.stored.isEmpty() && this.responses.isReady()) {
				acknowledge();
			}
			if (this.inProcess == 0) {
				switch (this.phase) {
					case HALF_CLOSED -> end(null);
					case DRAINING -> end(Status.UNAVAILABLE.withDescription("The sink is shutting down"));
					case OPEN, ENDED -> {
					}
				}
			}
		}
	}

	private void acknowledge() {
		List<ByteString> ids = new ArrayList<>();
		while (ids.size() < this.properties.ackBatch() && !this.stored.isEmpty()) {
			ids.add(this.stored.remove());
		}
		this.responses.onNext(Response.newBuilder()
			.setVersion(Payload.VERSION)
			.setAck(AckMessage.newBuilder().addAllMessageIds(ids))
			.build());
		this.inProcess -= ids.size();
		this.metrics.acked(ids.size());
		if (this.phase == Phase.OPEN) {
			this.responses.request(ids.size());
		}
	}

	private void failed(Throwable failure) {
		if (failure instanceof MessageTooLargeException) {
			end(Status.RESOURCE_EXHAUSTED.withDescription(failure.getMessage()).withCause(failure));
		}
		else {
			logger.warn("A message could not be stored; its stream ends: {}", failure.getMessage());
			end(Status.UNAVAILABLE
				.withDescription("The message could not be stored; send again what was not acknowledged")
				.withCause(failure));
		}
	}

	/**
	 * Ends the stream, after acknowledging what is stored, however slow the client reads:
	 * that is no more than a window of ids.
	 * @param status null if all is well
	 */
	private void end(@Nullable Status status) {
		synchronized (this.lock) {
			if (this.phase == Phase.ENDED) {
				return;
			}
			this.phase = Phase.DRAINING;
			while (!this.stored.isEmpty()) {
				acknowledge();
			}
			this.phase = Phase.ENDED;
			if (status == null) {
				this.responses.onCompleted();
			}
			else {
				this.responses.onError(status.asRuntimeException());
			}
			closed();
		}
	}

	private void cancelled() {
		synchronized (this.lock) {
			if (this.phase == Phase.ENDED) {
				return;
			}
			this.phase = Phase.ENDED;
			this.stored.clear();
			closed();
		}
	}

	private void closed() {
		this.metrics.closed(this.inProcess);
		this.whenClosed.accept(this);
	}

	private enum Phase {

		/** Takes messages. */
		OPEN,

		/** The client has sent its last message; acknowledgements are owed. */
		HALF_CLOSED,

		/** Takes no more messages; acknowledgements are owed. */
		DRAINING,

		/** Nothing is owed or nobody is there to have it. */
		ENDED

	}

}
