package dev.sluice.sink;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.Dictionary;
import dev.sluice.contract.sink.Refusal;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.ServerMachine.Effect;
import dev.sluice.sink.ServerMachine.Event;
import dev.sluice.sink.ServerMachine.State;
import dev.sluice.sink.ServerMachine.Step;
import dev.sluice.sink.store.MessageStore.MessageTooLargeException;
import dev.sluice.sink.store.OnceStore;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of {@code DataSink.Send}: does what the {@link ServerMachine} says. A message
 * waits in the queue until the storage is ready for it, goes there, and is acknowledged
 * once the storage has it.
 * <p>
 * The queue has a fixed number of places; where a client sends more than it was told, the
 * oldest message is dropped and the client is told again. Bytes are bounded for all
 * streams together: while they are used up no more is asked for, so that flow control
 * holds the clients back, and so is a client that reads no acknowledgements. What is
 * compressed waits as it came, while the storage has too much that was. Acknowledgements
 * go out when there are enough for a batch, when the oldest has waited for
 * {@code ackDelay}, when nothing else is in process, and as soon as a client that was too
 * slow to read is ready again.
 * <p>
 * Received = acknowledged + refused + dropped + in process, while the stream is open.
 * <p>
 * Called by the connection's thread, which must not wait, the store's threads, the timer
 * and who gives back what is bounded; one lock guards all state and the writing of
 * responses. Nothing waits under it. One thread of the executor hands messages to the
 * storage, for that may wait.
 */
final class SinkStream implements StreamObserver<Request> {

	private static final Logger logger = LoggerFactory.getLogger(SinkStream.class);

	/** Asked for before the first has come; hides the way to the network's thread. */
	private static final int PREFETCH = 4;

	private final ServerCallStreamObserver<Response> responses;

	private final DataSinkService.Shared shared;

	private final SinkProperties properties;

	private final SinkMetrics metrics;

	private final ScheduledExecutorService timer;

	/** That the client has. */
	private final Set<Integer> dictionaries;

	private final Consumer<SinkStream> whenClosed;

	private final Runnable forward = this::forward;

	private final Runnable request = this::request;

	private final Object lock = new Object();

	private final Queue<Request> queue = new ArrayDeque<>();

	/** Stored, not acknowledged yet. */
	private final Queue<ByteString> stored = new ArrayDeque<>();

	/** Will never be stored, and the client is not told yet. */
	private final List<Refusal> refusals = new ArrayList<>();

	private State state = State.HAS_CAPACITY;

	private Phase phase = Phase.OPEN;

	/** With what it ends once nothing is in process; null if all is well. */
	private @Nullable Status ending;

	private int inStorage;

	/** Messages that may be asked for. */
	private int requestable = PREFETCH;

	private long dropped;

	private boolean infoOwed = true;

	private boolean flushAwaited;

	/** Whether somebody hands messages to the storage, or will once it is ready. */
	private boolean forwarding;

	SinkStream(ServerCallStreamObserver<Response> responses, DataSinkService.Shared shared, SinkProperties properties,
			SinkMetrics metrics, ScheduledExecutorService timer, Set<Integer> dictionaries,
			Consumer<SinkStream> whenClosed) {
		this.responses = responses;
		this.shared = shared;
		this.properties = properties;
		this.metrics = metrics;
		this.timer = timer;
		this.dictionaries = dictionaries;
		this.whenClosed = whenClosed;
	}

	/** To be called once, before the call's handler returns. */
	void open() {
		this.metrics.opened();
		this.responses.disableAutoRequest();
		this.responses.setOnReadyHandler(this::flush);
		this.responses.setOnCancelHandler(this::cancelled);
		synchronized (this.lock) {
			tell(true);
			request();
		}
	}

	@Override
	public void onNext(Request message) {
		synchronized (this.lock) {
			if (this.phase != Phase.OPEN) {
				// It is not acknowledged: the client sends it again.
				return;
			}
			this.requestable++;
			this.metrics.received();
			Status unnamed = Payload.unnamed(message);
			if (unnamed != null) {
				this.metrics.left(1);
				endAfterStoring(unnamed);
				return;
			}
			boolean last = this.queue.size() + 1 >= this.properties.queueCapacity();
			Step step = ServerMachine.step(this.state, last ? Event.RECEIVED_LAST : Event.RECEIVED);
			step.effects().forEach((effect) -> perform(effect, message));
			this.state = step.next();
			if (this.infoOwed) {
				flush();
			}
			request();
			if (this.forwarding || this.queue.isEmpty()) {
				return;
			}
			this.forwarding = true;
		}
		this.shared.executor().execute(this.forward);
	}

	private void perform(Effect effect, Request message) {
		switch (effect) {
			case ENQUEUE -> {
				this.queue.add(message);
				this.metrics.queued(1);
				this.shared.bytes().add(message.getSerializedSize());
			}
			case DROP_OLDEST -> {
				Request oldest = this.queue.remove();
				this.metrics.queued(-1);
				this.shared.bytes().remove(oldest.getSerializedSize());
				this.dropped++;
				this.metrics.dropped();
			}
			case TELL_CAPACITY -> this.infoOwed = true;
			case FORWARD_OLDEST -> throw new AssertionError("Only the storage asks for it");
		}
	}

	@Override
	public void onCompleted() {
		synchronized (this.lock) {
			if (this.phase == Phase.OPEN) {
				this.phase = Phase.ENDING;
			}
			flush();
		}
	}

	/** The client has gone. */
	@Override
	public void onError(Throwable cause) {
		cancelled();
	}

	/** Takes no more messages, stores and acknowledges what it has, and then ends. */
	void drain() {
		synchronized (this.lock) {
			endAfterStoring(Status.UNAVAILABLE.withDescription("The sink is shutting down"));
		}
	}

	private void endAfterStoring(Status status) {
		if (this.phase == Phase.OPEN || this.phase == Phase.ENDING) {
			this.phase = Phase.ENDING;
			this.ending = status;
		}
		flush();
	}

	/** Asks for what may be asked for, else waits until it may. */
	private void request() {
		synchronized (this.lock) {
			if (this.phase == Phase.OPEN && this.requestable > 0
					&& this.stored.size() + this.refusals.size() < this.properties.queueCapacity()
					&& this.shared.bytes().free(this.request)) {
				int count = this.requestable;
				this.requestable = 0;
				this.responses.request(count);
			}
		}
	}

	/** Hands messages to the storage, in their order, while it is ready. */
	private void forward() {
		Request next = next();
		while (next != null) {
			store(next);
			next = next();
		}
	}

	private @Nullable Request next() {
		synchronized (this.lock) {
			if (this.queue.isEmpty()) {
				this.forwarding = false;
				this.shared.places().pass();
				return null;
			}
			if (!this.shared.grown().free(this.forward) || !this.shared.places().enter(this.forward)) {
				return null;
			}
			Step step = ServerMachine.step(this.state, Event.STORAGE_READY);
			this.state = step.next();
			this.inStorage++;
			this.metrics.queued(-1);
			return this.queue.remove();
		}
	}

	/** Outside the lock: it may wait for room in the store's buffer, a bounded time. */
	private void store(Request message) {
		ByteString id = message.getMessageId();
		switch (Payload.read(message, this.properties.maxMessageBytes(), this.shared.decompressor())) {
			case Payload.Refused(Status status) -> left(message, () -> refuse(id, status));
			case Payload.Unread(RuntimeException cause) -> left(message, () -> failed(id, cause));
			case Payload.Readable readable -> {
				long grown = readable.grown(message);
				this.shared.grow(grown);
				Timer.Sample sample = this.metrics.storing();
				this.shared.store().store(id, readable.bytes()).whenComplete((outcome, failure) -> {
					this.shared.shrink(grown);
					if (failure == null) {
						this.metrics.stored(sample, outcome == OnceStore.Outcome.REPEATED);
					}
					left(message, (failure == null) ? () -> acknowledge(id) : () -> failed(id, failure));
				});
			}
		}
	}

	/** The storage is done with it, in whatever way. */
	private void left(Request message, Runnable whatNow) {
		synchronized (this.lock) {
			if (this.phase != Phase.ENDED) {
				this.inStorage--;
				whatNow.run();
			}
		}
		this.shared.bytes().remove(message.getSerializedSize());
		this.shared.places().remove(1);
	}

	private void acknowledge(ByteString id) {
		this.stored.add(id);
		if (this.stored.size() >= this.properties.ackBatch() || (this.queue.isEmpty() && this.inStorage == 0)) {
			// A full batch; or nothing else is in process that could join it.
			flush();
		}
		else if (!this.flushAwaited) {
			this.flushAwaited = true;
			awaitMore();
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // It is never cancelled, and may find
													// nothing to do.
	private void awaitMore() {
		this.timer.schedule(this::flush, this.properties.ackDelay().toNanos(), TimeUnit.NANOSECONDS);
	}

	private void refuse(ByteString id, Status status) {
		this.refusals.add(Refusal.newBuilder()
			.setMessageId(id)
			.setCode(status.getCode().value())
			.setDescription(String.valueOf(status.getDescription()))
			.build());
		this.metrics.refused();
		flush();
	}

	private void failed(ByteString id, Throwable failure) {
		Status status = status(failure);
		if (status.getCode() == Status.Code.UNAVAILABLE) {
			logger.warn("A message could not be stored; its stream ends: {}", String.valueOf(status.getCause()));
			end(status);
		}
		else {
			refuse(id, status);
		}
	}

	/** What a client is told of what the storage says. */
	static Status status(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof MessageTooLargeException)
				? Status.RESOURCE_EXHAUSTED.withDescription(cause.getMessage())
				: Status.UNAVAILABLE
					.withDescription("The message could not be stored; send again what was not acknowledged")
					.withCause(cause);
	}

	private void flush() {
		synchronized (this.lock) {
			this.flushAwaited = false;
			while (this.phase != Phase.ENDED && owes() && this.responses.isReady()) {
				writeOne();
			}
			if (this.phase == Phase.ENDING && this.queue.isEmpty() && this.inStorage == 0) {
				end(this.ending);
			}
			else {
				request();
			}
		}
	}

	private boolean owes() {
		return this.infoOwed || !this.refusals.isEmpty() || !this.stored.isEmpty();
	}

	private void writeOne() {
		if (this.infoOwed || !this.refusals.isEmpty()) {
			tell(false);
		}
		else {
			writeAcknowledgement();
		}
	}

	private void tell(boolean first) {
		List<Refusal> told = List.copyOf(this.refusals);
		this.refusals.clear();
		this.infoOwed = false;
		ServiceMessage.Builder info = ServiceMessage.newBuilder()
			.setQueueCapacity(this.properties.queueCapacity())
			.setWindow(this.properties.window())
			.setMaxMessageBytes(this.properties.maxMessageBytes())
			.setDropped(this.dropped)
			.setZstd(true)
			.addAllRefusals(told);
		Dictionary dictionary = this.shared.decompressor().dictionary();
		if (first && dictionary != null) {
			info.setDictionary(this.dictionaries.contains(dictionary.getId())
					? dictionary.toBuilder().clearContent().build() : dictionary);
		}
		this.responses.onNext(Response.newBuilder().setVersion(Payload.VERSION).setInfo(info).build());
	}

	private void writeAcknowledgement() {
		List<ByteString> ids = new ArrayList<>();
		while (ids.size() < this.properties.ackBatch() && !this.stored.isEmpty()) {
			ids.add(this.stored.remove());
		}
		this.responses.onNext(Response.newBuilder()
			.setVersion(Payload.VERSION)
			.setAck(AckMessage.newBuilder().addAllMessageIds(ids))
			.build());
		this.metrics.acked(ids.size());
	}

	/**
	 * Ends the stream, after acknowledging what is stored, however slow the client reads:
	 * that is no more than a queue's capacity of ids and what is in the storage.
	 * @param status null if all is well
	 */
	private void end(@Nullable Status status) {
		if (this.phase == Phase.ENDED) {
			return;
		}
		while (owes()) {
			writeOne();
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

	private void cancelled() {
		synchronized (this.lock) {
			if (this.phase == Phase.ENDED) {
				return;
			}
			this.phase = Phase.ENDED;
			closed();
		}
	}

	private void closed() {
		this.metrics.left(this.queue.size() + this.inStorage + this.stored.size());
		this.metrics.queued(-this.queue.size());
		this.metrics.closed();
		this.shared.bytes().forget(this.request);
		this.shared.grown().forget(this.forward);
		this.shared.places().forget(this.forward);
		this.shared.bytes().remove(this.queue.stream().mapToLong(Request::getSerializedSize).sum());
		this.queue.clear();
		this.stored.clear();
		this.shared.places().pass();
		this.whenClosed.accept(this);
	}

	private enum Phase {

		/** Takes messages. */
		OPEN,

		/** Takes no more messages; acknowledgements are owed. */
		ENDING,

		/** Nothing is owed or nobody is there to have it. */
		ENDED

	}

}
