package dev.sluice.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Response;
import dev.sluice.sink.ServerMachine.Effect;
import dev.sluice.sink.ServerMachine.Event;
import dev.sluice.sink.ServerMachine.Phase;
import dev.sluice.sink.ServerMachine.State;
import dev.sluice.sink.ServerMachine.Step;
import dev.sluice.sink.StreamStorage.Answer;
import dev.sluice.sink.StreamStorage.Batch;
import dev.sluice.sink.request.Received;
import dev.sluice.sink.sequence.ClientSession;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code DataSink.Send}. A message waits in the {@link Intake} until the
 * {@link StreamStorage} is ready for it, and is acknowledged through the {@link Outbox}
 * once it is stored. This class turns what happens into events of {@link ServerMachine}
 * and performs its effects.
 * <p>
 * Received = acknowledged + refused + dropped + in process, while the stream is open.
 * <p>
 * One lock guards all state and the writing of responses; no thread blocks while it holds
 * the lock. One thread at a time hands messages to the storage: the connection's thread
 * if all messages of a request are uncompressed and have a sequence and there is room,
 * else a thread of the executor, because other messages may block or take time.
 */
final class SinkStream implements StreamObserver<Received> {

	private final ServerCallStreamObserver<Response> responses;

	private final InboundCall inbound;

	private final Shared shared;

	/** Whether it ends after one message. */
	private final boolean single;

	private final Consumer<SinkStream> onCallClosed;

	private final Runnable forward = this::forward;

	private final Runnable request = this::request;

	private final Object lock = new Object();

	@GuardedBy("lock")
	private State state = State.INITIAL;

	@GuardedBy("lock")
	private final Intake intake;

	private final StreamStorage storage;

	@GuardedBy("lock")
	private final Outbox outbox;

	/** The status that ends it; null for OK. */
	@GuardedBy("lock")
	private @Nullable Status ending;

	/** Whether a thread hands messages to the storage, or will once it is ready. */
	@GuardedBy("lock")
	private boolean forwarding;

	SinkStream(ServerCallStreamObserver<Response> responses, InboundCall inbound, Shared shared, boolean single,
			Consumer<SinkStream> onCallClosed) {
		this.responses = responses;
		this.inbound = inbound;
		this.shared = shared;
		this.onCallClosed = onCallClosed;
		this.intake = new Intake(shared);
		this.storage = new StreamStorage(inbound.owner(), shared, this::answered);
		this.outbox = new Outbox(responses, shared, single);
		this.single = single;
	}

	/** Call it once, before the call's handler returns. */
	void open() {
		this.shared.metrics().streams(1);
		this.responses.disableAutoRequest();
		this.responses.setOnReadyHandler(this::due);
		this.responses.setOnCancelHandler(this::closed);
		this.responses.setOnCloseHandler(this::closed);
		this.inbound.onBrokenLimit(this::fail);
		synchronized (this.lock) {
			this.outbox.writeFirst();
			request();
		}
	}

	@Override
	public void onNext(Received received) {
		switch (received) {
			case Received.Unnamed(Status status) -> unnamed(status);
			case Received.TooLarge _ -> this.inbound.tooLarge();
			case Received.Message message -> named(List.of(message), message.session());
			case Received.Batch _ when this.single -> unnamed(Status.INVALID_ARGUMENT
				.withDescription("Store takes one message per call; several go through Send"));
			case Received.Batch(List<Received.Message> messages, ClientSession of) -> named(messages, of);
		}
	}

	private void unnamed(Status status) {
		synchronized (this.lock) {
			if (this.state.isOpen()) {
				this.shared.metrics().received();
				this.shared.metrics().left(1);
				noMore(status);
			}
		}
		this.inbound.handedOver();
	}

	/**
	 * Receives the messages of one request.
	 * @param of their session; null if it is that of the stream
	 */
	private void named(List<Received.Message> messages, @Nullable ClientSession of) {
		synchronized (this.lock) {
			Status wrong = this.intake.check(messages, of);
			if (wrong != null) {
				unnamed(wrong);
				return;
			}
			this.intake.arrived(messages.stream().mapToLong(Received.Message::memoryBytes).sum());
			// After the end of the stream the client sends them again.
			for (Received.Message message : messages) {
				if (this.state.isOpen()) {
					received(message);
				}
			}
			this.inbound.handedOver();
			if (this.single) {
				noMore(null);
			}
			if (this.outbox.hasInfo()) {
				step(Event.DUE);
			}
			request();
			if (this.forwarding || this.intake.isEmpty()) {
				return;
			}
			this.forwarding = true;
		}
		// Another thread costs two wake-ups for each request.
		Executor executor = messages.stream().allMatch(Received.Message::isQueuedAtOnce) ? Runnable::run
				: this.shared.executor();
		executor.execute(this.forward);
	}

	@GuardedBy("lock")
	private void received(Received.Message message) {
		this.shared.metrics().received();
		Received.Message oldest = this.intake.peek();
		boolean full = this.intake.isFullWith(0);
		step(full ? Event.RECEIVED_TOO_MANY : this.intake.isFullWith(1) ? Event.RECEIVED_LAST : Event.RECEIVED, message,
				List.of());
		if (full && oldest != null && oldest.sequence() > 0) {
			// Sent again, it would be stored behind the messages after it.
			fail(Status.UNAVAILABLE.withDescription("The queue was full (sink.stream.queue-capacity) and a message "
					+ "with a sequence was dropped; resend unacknowledged messages in order"));
		}
	}

	@Override
	public void onCompleted() {
		noMore(null);
	}

	/** The client has disconnected. */
	@Override
	public void onError(Throwable cause) {
		closed();
	}

	/** Accepts no more messages, stores and acknowledges those it has, then ends. */
	void drain() {
		noMore(Status.UNAVAILABLE.withDescription("The sink is shutting down"));
	}

	/** Whether the call is closed and no message of it is in the storage. */
	boolean over() {
		synchronized (this.lock) {
			return this.state.phase() == Phase.CLOSED && this.storage.isEmpty();
		}
	}

	/**
	 * Ends the stream if it is too old, if the storage has not answered for
	 * {@code sink.store.timeout}, or if its client has not read a response for
	 * {@code sink.stream.stall-timeout}.
	 */
	void check(long nowNanos) {
		List<Batch> overdue;
		synchronized (this.lock) {
			overdue = this.storage.overdue(nowNanos);
		}
		overdue.forEach((batch) -> answered(batch, this.storage.timedOut(batch)));
		synchronized (this.lock) {
			if (this.state.isOpen() && this.inbound.isTooOld(nowNanos)) {
				noMore(Status.UNAVAILABLE
					.withDescription("The stream has reached its maximum age (sink.stream.max-age); open another one"));
			}
			Status unread = this.outbox.unread(nowNanos);
			if (this.state.isAnswering() && unread != null) {
				fail(unread);
			}
		}
	}

	/**
	 * Accepts no more messages, and ends once all are stored and acknowledged.
	 * @param status for the client, unless it has one already; null for OK
	 */
	private void noMore(@Nullable Status status) {
		synchronized (this.lock) {
			if (this.state.isOpen()) {
				this.ending = status;
			}
			step(nothingInProcess() ? Event.NO_MORE_AT_ALL : Event.NO_MORE);
		}
	}

	/**
	 * Ends without waiting: messages in the queue are dropped, those in the storage are
	 * not acknowledged on this stream.
	 */
	private void fail(Status status) {
		synchronized (this.lock) {
			if (this.state.isAnswering()) {
				this.ending = status;
			}
			step(Event.FAILED);
		}
	}

	private void due() {
		synchronized (this.lock) {
			step(Event.DUE);
			request();
		}
	}

	private void closed() {
		synchronized (this.lock) {
			step(Event.CLOSED);
		}
	}

	/** Requests as many messages as it may; if there is no memory, waits for it. */
	private void request() {
		synchronized (this.lock) {
			if (this.state.isOpen() && this.outbox.size() < this.shared.properties().stream().queueCapacity()) {
				int count = this.intake.toRequest(this.request);
				if (count > 0) {
					this.responses.request(count);
				}
			}
		}
	}

	/** Hands messages to the storage, in order, while it is ready. */
	private void forward() {
		Batch next = next();
		while (next != null) {
			this.storage.store(next);
			next = next();
		}
	}

	/**
	 * Takes the next messages for the storage: numbered messages of one session together,
	 * any other message alone. Returns null if the queue is empty or the storage has no
	 * room now.
	 */
	private @Nullable Batch next() {
		synchronized (this.lock) {
			Received.Message first = this.intake.peek();
			if (first == null) {
				this.forwarding = false;
				this.storage.needsNoRoom();
				return null;
			}
			Batch batch = this.storage.acquire(first, this.forward);
			if (batch != null) {
				do {
					step(Event.STORAGE_READY);
				}
				while (this.storage.tryJoin(batch, this.intake.peek()));
			}
			return batch;
		}
	}

	private void answered(Batch batch, List<Answer> answers) {
		synchronized (this.lock) {
			if (!this.storage.remove(batch)) {
				return;
			}
			if (this.state.isAnswering()) {
				settle(answers);
				request();
			}
		}
		this.storage.release(batch);
	}

	/**
	 * A message that was not stored now ends the stream once the others have their
	 * answer: without its refusal, a client would send a message for ever.
	 */
	@GuardedBy("lock")
	private void settle(List<Answer> answers) {
		List<ByteString> stored = new ArrayList<>(answers.size());
		Status notNow = this.outbox.refuse(answers, stored);
		if (notNow != null) {
			this.shared.failures().warn("A message could not be stored; its stream ends: %s", notNow.getCause());
			this.ending = notNow;
		}
		step((notNow != null) ? Event.FAILED : nothingInProcess() ? Event.STORED_ALL
				: this.outbox.isUrgentWith(stored.size()) ? Event.STORED_BATCH : Event.STORED, null, stored);
	}

	@GuardedBy("lock")
	private boolean nothingInProcess() {
		return this.intake.isEmpty() && this.storage.isEmpty();
	}

	@GuardedBy("lock")
	private void step(Event event) {
		step(event, null, List.of());
	}

	/**
	 * Takes a step and performs its effects.
	 * @param message the message received, if one was
	 * @param stored ids of messages that were stored
	 */
	@GuardedBy("lock")
	private void step(Event event, Received.@Nullable Message message, List<ByteString> stored) {
		if (!Thread.holdsLock(this.lock)) {
			throw new IllegalStateException("Only the thread that holds the lock changes the state");
		}
		Step step = ServerMachine.step(this.state, event);
		this.state = step.next();
		for (Effect effect : step.effects()) {
			switch (effect) {
				case ENQUEUE -> this.intake.add(Objects.requireNonNull(message));
				case DROP_OLDEST -> {
					this.intake.dropOldest();
					this.outbox.dropped();
				}
				case REPORT_CAPACITY -> this.outbox.reportCapacity();
				case FORWARD_OLDEST -> this.storage.add(this.intake.takeOldest());
				case ACKNOWLEDGE -> stored.forEach(this.outbox::acknowledge);
				case START_TIMER -> this.outbox.startTimer(this::due);
				case FLUSH -> this.outbox.flush();
				case END -> {
					this.inbound.ended();
					this.outbox.end(this.ending);
				}
				case FORGET -> forget();
				case RELEASE -> {
					this.outbox.release();
					this.shared.metrics().streams(-1);
					this.onCallClosed.accept(this);
				}
			}
		}
	}

	/** Nothing more is read, stored or written. */
	@GuardedBy("lock")
	private void forget() {
		this.shared.metrics().left(this.intake.size() + this.storage.size() + this.outbox.acknowledgements());
		this.shared.memory().cancel(this.request);
		this.intake.clear();
		this.outbox.clear();
		this.storage.cancel(this.forward);
	}

}
