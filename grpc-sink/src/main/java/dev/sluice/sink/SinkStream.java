package dev.sluice.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Response;
import dev.sluice.sink.InStorage.Reserved;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.MessageStore.MessageTooLargeException;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import dev.sluice.sink.store.OnceStore;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code DataSink.Send}. A message waits in the {@link Intake} until the
 * storage is ready for it, goes to the storage, and is acknowledged through the
 * {@link Outbox} once it is stored.
 * <p>
 * The queue has a fixed capacity. If a client sends more than that, the oldest message is
 * dropped and the client is sent the capacity again. Memory is limited for all streams
 * together: while it is used up, no stream requests more messages, so flow control holds
 * the clients back. A stream also requests none while its client does not read its
 * acknowledgements. A compressed message waits as received while the decompressed
 * messages in the storage take too much memory.
 * <p>
 * Acknowledgements are sent when there are enough for a batch, when the oldest has waited
 * for {@code ackDelay}, when nothing else is in process, and as soon as a client that was
 * too slow to read is ready again.
 * <p>
 * Received = acknowledged + refused + dropped + in process, while the stream is open.
 * <p>
 * One lock guards all state and the writing of responses; no thread blocks while it holds
 * the lock. One thread at a time hands messages to the storage: the connection's thread
 * if all messages of a request are uncompressed and have a sequence and there is room,
 * else a thread of the executor, because other messages may block or take time.
 */
final class SinkStream implements StreamObserver<Received> {

	/**
	 * Bytes to request in advance, which hides the hop to the network's thread: as many
	 * requests as have this many bytes if they are like the last one, and at least one.
	 */
	static final int PREFETCH_BYTES = 80 * 1024;

	private static final int MAX_PREFETCH = 4;

	private static final Result STORED = new Result.Stored();

	private final ServerCallStreamObserver<Response> responses;

	private final InboundCall inbound;

	/** The owner of the ids of its messages: {@link InboundCall#owner()}. */
	private final long owner;

	private final Fence fence = new Fence();

	private final DataSinkService.Shared shared;

	private final SinkProperties properties;

	private final SinkMetrics metrics;

	private final ScheduledExecutorService timer;

	private final LongSupplier nanoTime;

	/** Ids of the dictionaries that the client has. */
	private final Set<Integer> dictionaries;

	private final Consumer<SinkStream> onCallClosed;

	private final Runnable forward = this::forward;

	private final Runnable request = this::request;

	private final Object lock = new Object();

	/** Messages that wait for the storage. */
	@GuardedBy("lock")
	private final Intake queue;

	/** Responses that are not written yet. */
	@GuardedBy("lock")
	private final Outbox outbox;

	@GuardedBy("lock")
	private Phase phase = Phase.OPEN;

	/** The status that ends it once nothing is in process; null for OK. */
	@GuardedBy("lock")
	private @Nullable Status ending;

	/** The session of messages with a sequence; null until the client has sent one. */
	@GuardedBy("lock")
	private @Nullable ClientSession session;

	/** Whether a message without a sequence has come. */
	@GuardedBy("lock")
	private boolean unnumbered;

	/** Messages that the storage has not answered, oldest first. */
	@GuardedBy("lock")
	private final InStorage inStorage = new InStorage();

	/** Requests asked of the transport that have not arrived. */
	@GuardedBy("lock")
	private int requested;

	/** Requests to ask of the transport in advance. */
	@GuardedBy("lock")
	private int prefetch = 1;

	@GuardedBy("lock")
	private boolean flushAwaited;

	/** Whether a thread hands messages to the storage, or will once it is ready. */
	@GuardedBy("lock")
	private boolean forwarding;

	@GuardedBy("lock")
	private boolean callClosed;

	SinkStream(ServerCallStreamObserver<Response> responses, InboundCall inbound, DataSinkService.Shared shared,
			SinkProperties properties, SinkMetrics metrics, ScheduledExecutorService timer, LongSupplier nanoTime,
			Set<Integer> dictionaries, Consumer<SinkStream> onCallClosed) {
		this.responses = responses;
		this.inbound = inbound;
		this.owner = inbound.owner();
		this.shared = shared;
		this.properties = properties;
		this.metrics = metrics;
		this.timer = timer;
		this.nanoTime = nanoTime;
		this.dictionaries = dictionaries;
		this.onCallClosed = onCallClosed;
		this.outbox = new Outbox(responses, properties, shared.memory(), metrics);
		this.queue = new Intake(properties.stream().queueCapacity(), shared.memory(), metrics, this.outbox);
	}

	/** Call it once, before the call's handler returns. */
	void open() {
		this.metrics.opened();
		this.responses.disableAutoRequest();
		this.responses.setOnReadyHandler(this::flush);
		this.responses.setOnCancelHandler(this::cancelled);
		this.responses.setOnCloseHandler(this::callClosed);
		this.inbound.onBrokenLimit(this::endAtOnce);
		synchronized (this.lock) {
			this.outbox.writeFirst(this.shared.decompressor().dictionary(), this.dictionaries);
			request();
		}
	}

	@Override
	public void onNext(Received received) {
		switch (received) {
			case Received.Unnamed(Status status) -> unnamed(status);
			case Received.Message message -> named(List.of(message), message.session());
			case Received.Batch(List<Received.Message> messages, ClientSession of) -> named(messages, of);
		}
	}

	private void unnamed(Status status) {
		synchronized (this.lock) {
			if (this.phase == Phase.OPEN) {
				this.metrics.received();
				this.metrics.left(1);
				endAfterStoring(status);
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
			this.session = (of != null) ? of : this.session;
			if (this.session == null && messages.stream().anyMatch((message) -> message.sequence() > 0)) {
				unnamed(Status.INVALID_ARGUMENT
					.withDescription("A message with a sequence needs a session before it, or in its request"));
				return;
			}
			if (!mayBeUnnumbered(messages)) {
				unnamed(Status.RESOURCE_EXHAUSTED.withDescription(
						("%d streams send messages without a sequence, as many as sink.limits.max-unnumbered-streams allows; "
								+ "number the messages")
							.formatted(this.properties.limits().maxUnnumberedStreams())));
				return;
			}
			if (this.phase == Phase.OPEN) {
				this.requested--;
				long bytes = 0;
				for (Received.Message message : messages) {
					bytes += message.memoryBytes();
					if (this.phase == Phase.OPEN) {
						this.metrics.received();
						if (this.queue.add(message.of(this.session))) {
							end(Status.UNAVAILABLE.withDescription(
									"The queue was full (sink.stream.queue-capacity) and a message with a sequence was "
											+ "dropped; resend unacknowledged messages in order"));
						}
					}
				}
				this.prefetch = (int) Math.clamp(PREFETCH_BYTES / bytes, 1, MAX_PREFETCH);
			}
			// If the stream has ended, they are not acknowledged and the client sends
			// them again.
			this.inbound.handedOver();
			if (this.outbox.hasInfo()) {
				flush();
			}
			request();
			if (this.forwarding || this.queue.isEmpty()) {
				return;
			}
			this.forwarding = true;
		}
		if (messages.stream().allMatch(SinkStream::isQueuedAtOnce)) {
			// Another thread would cost two wake-ups for each request.
			forward();
		}
		else {
			this.shared.executor().execute(this.forward);
		}
	}

	/**
	 * Whether storing the message does not block: one without a sequence may wait for
	 * room, and a zstd frame is decompressed first.
	 */
	private static boolean isQueuedAtOnce(Received.Message message) {
		return message.sequence() > 0 && message.kind() != Received.Kind.ZSTD;
	}

	/**
	 * The repeat horizon covers what {@code sink.limits.max-unnumbered-streams} streams
	 * have in flight.
	 */
	@GuardedBy("lock")
	private boolean mayBeUnnumbered(List<Received.Message> messages) {
		if (!this.unnumbered && messages.stream().anyMatch((message) -> message.sequence() == 0)) {
			this.unnumbered = this.shared.unnumbered().tryAcquire(1);
			return this.unnumbered;
		}
		return true;
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

	/** The client has disconnected. */
	@Override
	public void onError(Throwable cause) {
		cancelled();
	}

	/** Accepts no more messages, stores and acknowledges those it has, then ends. */
	void drain() {
		synchronized (this.lock) {
			endAfterStoring(Status.UNAVAILABLE.withDescription("The sink is shutting down"));
		}
	}

	/** Whether the call is closed and no message of it is in the storage. */
	boolean over() {
		synchronized (this.lock) {
			return this.callClosed && this.inStorage.isEmpty();
		}
	}

	/**
	 * Ends the stream if it is too old, if the storage has not answered for
	 * {@code sink.store.timeout}, or if its client has not read a response for
	 * {@code sink.stream.stall-timeout}.
	 */
	void check(long nowNanos) {
		overdue(nowNanos).forEach((late) -> finish(late,
				new Result.Failed(
						new StoreUnavailableException("The storage has not answered for %d ms (sink.store.timeout)"
							.formatted(this.properties.store().timeout().toMillis())))));
		synchronized (this.lock) {
			if (this.phase == Phase.OPEN && tooOld(nowNanos)) {
				endAfterStoring(Status.UNAVAILABLE
					.withDescription("The stream has reached its maximum age (sink.stream.max-age); open another one"));
			}
			if (this.phase != Phase.ENDED && this.outbox.isUnread(nowNanos)) {
				end(Status.DEADLINE_EXCEEDED
					.withDescription("The client has not read its responses for %d ms (sink.stream.stall-timeout)"
						.formatted(this.properties.stream().stallTimeout().toMillis())));
			}
		}
	}

	private List<Reserved> overdue(long nowNanos) {
		synchronized (this.lock) {
			return this.inStorage.olderThan(nowNanos - this.properties.store().timeout().toNanos());
		}
	}

	/**
	 * The age varies by up to a tenth, so streams opened together do not end together.
	 */
	private boolean tooOld(long nowNanos) {
		long age = this.properties.stream().maxAge().toNanos();
		long less = Math.floorMod(System.identityHashCode(this), 1_000) * (age / 10_000);
		return age > 0 && nowNanos - this.inbound.openedNanos() > age - less;
	}

	/**
	 * Ends without waiting: messages in the queue are dropped, those in the storage are
	 * not acknowledged on this stream.
	 */
	private void endAtOnce(Status status) {
		synchronized (this.lock) {
			end(status);
		}
	}

	@GuardedBy("lock")
	private void endAfterStoring(Status status) {
		if (this.phase == Phase.OPEN || this.phase == Phase.ENDING) {
			this.phase = Phase.ENDING;
			this.ending = status;
		}
		flush();
	}

	/** Requests as many messages as it may; if there is no memory, waits for it. */
	private void request() {
		synchronized (this.lock) {
			int count = this.prefetch - this.requested;
			if (this.phase == Phase.OPEN && count > 0 && this.outbox.size() < this.properties.stream().queueCapacity()
					&& this.shared.memory().hasRoom(this.request)) {
				this.requested += count;
				this.responses.request(count);
			}
		}
	}

	/** Hands messages to the storage, in order, while it is ready. */
	private void forward() {
		List<Reserved> next = next();
		while (!next.isEmpty()) {
			store(next);
			next = next();
		}
	}

	/**
	 * Takes the next messages for the storage: numbered messages of one session together,
	 * any other message alone. Returns none if the queue is empty or the storage has no
	 * room now.
	 */
	private List<Reserved> next() {
		synchronized (this.lock) {
			Received.Message first = this.queue.peek();
			if (first == null) {
				this.forwarding = false;
				this.shared.storing().wake();
				this.shared.decompressed().wake();
				return List.of();
			}
			int contentBytes = this.shared.contentBytes(first);
			if (contentBytes > 0 && !this.shared.decompressed().acquire(contentBytes, this.forward)) {
				return List.of();
			}
			if (!this.shared.storing().acquire(1, this.forward)) {
				if (contentBytes > 0) {
					this.shared.decompressed().release(contentBytes);
				}
				return List.of();
			}
			long now = this.nanoTime.getAsLong();
			List<Reserved> together = new ArrayList<>();
			together.add(take(contentBytes, now));
			while (together.size() < Received.Batch.MAX_MESSAGES && canBeStoredWith(first, this.queue.peek())
					&& this.shared.storing().tryAcquire(1)) {
				together.add(take(0, now));
			}
			return together;
		}
	}

	/** Whether both may be stored together: zstd frames wait for memory one by one. */
	static boolean canBeStoredWith(Received.Message first, Received.@Nullable Message next) {
		return next != null && isQueuedAtOnce(first) && isQueuedAtOnce(next) && first.session() != null
				&& next.session() != null && first.session().id().equals(next.session().id());
	}

	@GuardedBy("lock")
	private Reserved take(int contentBytes, long now) {
		Reserved reserved = new Reserved(this.queue.forward(), contentBytes, now);
		this.inStorage.add(reserved);
		return reserved;
	}

	/** The storage's result for a message. */
	private sealed interface Result {

		record Stored() implements Result {
		}

		record Refused(Status status) implements Result {
		}

		record Failed(Throwable cause) implements Result {
		}

	}

	/**
	 * Call it without the lock: it may block for a bounded time, for the store's buffer.
	 */
	private void store(List<Reserved> together) {
		List<Reserved> numbered = new ArrayList<>(together.size());
		List<MessageStore.Placed> placed = new ArrayList<>(together.size());
		for (Reserved reserved : together) {
			Received.Message message = reserved.message;
			switch (Payload.read(message, this.properties.limits().maxMessageBytes(), this.shared.decompressor())) {
				case Payload.Refused(Status status) -> finish(reserved, new Result.Refused(status));
				case Payload.Unread(RuntimeException cause) -> finish(reserved, new Result.Failed(cause));
				case Payload.Readable readable -> {
					Place place = message.place(this.fence);
					Content content = new Content(message.id(), message.key(), this.owner, readable.bytes());
					if (place != null) {
						numbered.add(reserved);
						placed.add(new MessageStore.Placed(place, content));
					}
					else {
						storeUnnumbered(reserved, content);
					}
				}
			}
		}
		if (!placed.isEmpty()) {
			Timer.Sample sample = this.metrics.storing();
			this.shared.store()
				.store(placed, (first, results) -> completed(sample, numbered.subList(first, first + results.size()),
						results));
		}
	}

	private void storeUnnumbered(Reserved reserved, Content content) {
		Timer.Sample sample = this.metrics.storing();
		this.shared.store()
			.store(content)
			.whenComplete((outcome, failure) -> completed(sample, List.of(reserved),
					List.of(new MessageStore.Completed(outcome, failure))));
	}

	private void completed(Timer.Sample sample, List<Reserved> messages, List<MessageStore.Completed> results) {
		int stored = 0;
		int repeated = 0;
		List<Result> all = new ArrayList<>(results.size());
		for (MessageStore.Completed result : results) {
			if (result.outcome() == null) {
				all.add(new Result.Failed(Objects.requireNonNull(result.failure())));
			}
			else {
				all.add(STORED);
				stored += (result.outcome() == OnceStore.Outcome.STORED) ? 1 : 0;
				repeated += (result.outcome() == OnceStore.Outcome.REPEATED) ? 1 : 0;
			}
		}
		this.metrics.stored(sample, stored, repeated);
		finish(messages, all);
	}

	private void finish(Reserved reserved, Result result) {
		finish(List.of(reserved), List.of(result));
	}

	private void finish(List<Reserved> messages, List<Result> results) {
		int count = 0;
		long contentBytes = 0;
		long memoryBytes = 0;
		synchronized (this.lock) {
			for (int i = 0; i < messages.size(); i++) {
				Reserved reserved = messages.get(i);
				// If it was not there, the storage has answered after the timeout.
				if (this.inStorage.remove(reserved)) {
					count++;
					contentBytes += reserved.contentBytes;
					memoryBytes += reserved.message.memoryBytes();
					if (this.phase != Phase.ENDED) {
						settle(reserved.message.id(), results.get(i));
					}
				}
			}
			if (this.phase != Phase.ENDED) {
				flushOrAwaitMore();
			}
		}
		if (contentBytes > 0) {
			this.shared.decompressed().release(contentBytes);
		}
		if (count > 0) {
			this.shared.memory().release(memoryBytes);
			this.shared.storing().release(count);
		}
	}

	@GuardedBy("lock")
	private void settle(ByteString id, Result result) {
		switch (result) {
			case Result.Stored _ -> this.outbox.acknowledge(id);
			case Result.Refused(Status status) -> refuse(id, status);
			case Result.Failed(Throwable cause) -> failed(id, cause);
		}
	}

	@GuardedBy("lock")
	private void refuse(ByteString id, Status status) {
		this.outbox.refuse(id, status);
		flush();
	}

	/** Sends a full batch at once, and any batch if nothing else is in process. */
	@GuardedBy("lock")
	private void flushOrAwaitMore() {
		if (this.outbox.acknowledgements() >= this.properties.stream().ackBatch()
				|| (this.queue.isEmpty() && this.inStorage.isEmpty())) {
			flush();
		}
		else if (this.outbox.acknowledgements() > 0 && !this.flushAwaited) {
			this.flushAwaited = true;
			awaitMore();
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // It is never cancelled, and may find
													// nothing to do.
	private void awaitMore() {
		this.timer.schedule(this::flush, this.properties.stream().ackDelay().toNanos(), TimeUnit.NANOSECONDS);
	}

	@GuardedBy("lock")
	private void failed(ByteString id, Throwable failure) {
		Status status = status(failure);
		if (status.getCode() == Status.Code.UNAVAILABLE) {
			this.shared.failures().warn("A message could not be stored; its stream ends: %s", status.getCause());
			this.metrics.left(1);
			end(status);
		}
		else {
			refuse(id, status);
		}
	}

	/** The status that a client gets for a failure of the storage. */
	static Status status(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return switch (cause) {
			case MessageTooLargeException large -> Status.RESOURCE_EXHAUSTED.withDescription(large.getMessage());
			case ContentDiffersException differs -> Status.ALREADY_EXISTS.withDescription(differs.getMessage());
			case SessionForgottenException forgotten ->
				Status.FAILED_PRECONDITION.withDescription(forgotten.getMessage());
			default ->
				Status.UNAVAILABLE.withDescription("The message could not be stored; resend unacknowledged messages")
					.withCause(cause);
		};
	}

	private void flush() {
		synchronized (this.lock) {
			this.flushAwaited = false;
			if (this.phase != Phase.ENDED) {
				this.outbox.flush();
			}
			if (this.phase == Phase.ENDING && this.queue.isEmpty() && this.inStorage.isEmpty()) {
				end(this.ending);
			}
			else {
				request();
			}
		}
	}

	/**
	 * Ends the stream after writing all acknowledgements, however slowly the client
	 * reads: there are at most as many as the queue's capacity plus the messages that
	 * were in the storage.
	 * @param status null for OK
	 */
	@GuardedBy("lock")
	private void end(@Nullable Status status) {
		if (this.phase == Phase.ENDED) {
			return;
		}
		this.outbox.flushAll();
		this.phase = Phase.ENDED;
		this.inbound.ended();
		if (status == null) {
			this.responses.onCompleted();
		}
		else {
			this.responses.onError(status.asRuntimeException());
		}
		forget();
	}

	private void cancelled() {
		synchronized (this.lock) {
			if (this.phase != Phase.ENDED) {
				this.phase = Phase.ENDED;
				forget();
			}
		}
		callClosed();
	}

	/** Nothing more is read, stored or written. */
	@GuardedBy("lock")
	private void forget() {
		this.metrics.left(this.queue.size() + this.inStorage.size() + this.outbox.acknowledgements());
		this.shared.memory().cancel(this.request);
		this.shared.decompressed().cancel(this.forward);
		this.shared.storing().cancel(this.forward);
		this.queue.clear();
		this.outbox.clear();
		this.shared.storing().wake();
		this.shared.decompressed().wake();
	}

	/**
	 * The transport is done with the call: the client has read the end, or has
	 * disconnected.
	 */
	private void callClosed() {
		synchronized (this.lock) {
			if (this.callClosed) {
				return;
			}
			this.callClosed = true;
			if (this.unnumbered) {
				this.shared.unnumbered().release(1);
			}
			this.outbox.release();
			this.metrics.closed();
		}
		this.onCallClosed.accept(this);
	}

	private enum Phase {

		/** Accepts messages. */
		OPEN,

		/** Accepts no more messages; some are not stored or acknowledged yet. */
		ENDING,

		/** All responses are written, or the client has disconnected. */
		ENDED

	}

}
