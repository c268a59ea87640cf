package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.InStorage.Reserved;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.request.Payload;
import dev.sluice.sink.request.Received;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.MessageStore.MessageTooLargeException;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import dev.sluice.sink.store.OnceStore;
import io.grpc.Status;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream in the storage, from the reservation of their room to their
 * answer. Not thread-safe: the stream's lock guards it, except for {@link #store}.
 */
final class StreamStorage {

	private final long owner;

	private final Shared shared;

	private final Consumer<List<Answer>> answers;

	private final Fence fence = new Fence();

	private final InStorage inStorage = new InStorage();

	/** Memory reserved to decompress the next message that is added. */
	private int contentBytes;

	/** Messages that were added and not taken for {@link #store} yet. */
	private List<Reserved> added = new ArrayList<>();

	/**
	 * Creates a storage without messages.
	 * @param owner owner of the ids of the messages: {@link InboundCall#owner()}
	 * @param answers receives the storage's answers, on any thread and without the lock
	 */
	StreamStorage(long owner, Shared shared, Consumer<List<Answer>> answers) {
		this.owner = owner;
		this.shared = shared;
		this.answers = answers;
	}

	/**
	 * The storage's answer for a message.
	 *
	 * @param failure null if it is stored
	 */
	record Answer(Reserved reserved, @Nullable Status failure) {

		ByteString id() {
			return this.reserved.message.id();
		}

	}

	/**
	 * Reserves room for a message.
	 * @return false if there is none; then the task runs once there is
	 */
	boolean acquire(Received.Message message, Runnable task) {
		int contentBytes = (message.kind() == Received.Kind.ZSTD)
				? this.shared.decompressor().contentBytes(message.payload()) : 0;
		if (contentBytes > 0 && !this.shared.decompressed().acquire(contentBytes, task)) {
			return false;
		}
		if (!this.shared.storing().acquire(1, task)) {
			if (contentBytes > 0) {
				this.shared.decompressed().release(contentBytes);
			}
			return false;
		}
		this.contentBytes = contentBytes;
		return true;
	}

	/** Reserves room for a message to be stored with those that were added. */
	boolean tryJoin(Received.@Nullable Message next) {
		return this.added.size() < Received.Batch.MAX_MESSAGES && canBeStoredWith(this.added.getFirst().message, next)
				&& this.shared.storing().tryAcquire(1);
	}

	/** Whether both may be stored together: zstd frames wait for memory one by one. */
	static boolean canBeStoredWith(Received.Message first, Received.@Nullable Message next) {
		return next != null && first.isQueuedAtOnce() && next.isQueuedAtOnce() && first.session() != null
				&& next.session() != null && first.session().id().equals(next.session().id());
	}

	/** Puts a message into the room that was reserved for it. */
	void add(Received.Message message) {
		Reserved reserved = new Reserved(message, this.contentBytes, this.shared.nanoTime().getAsLong());
		this.contentBytes = 0;
		this.inStorage.add(reserved);
		this.added.add(reserved);
	}

	/** Takes the messages that were added. */
	List<Reserved> takeAdded() {
		List<Reserved> taken = this.added;
		this.added = new ArrayList<>();
		return taken;
	}

	/**
	 * Stores messages, numbered ones of one session together. Call it without the lock:
	 * it may block for a bounded time, for the store's buffer.
	 */
	void store(List<Reserved> together) {
		List<Reserved> numbered = new ArrayList<>(together.size());
		List<MessageStore.Placed> placed = new ArrayList<>(together.size());
		for (Reserved reserved : together) {
			Received.Message message = reserved.message;
			switch (Payload.read(message, this.shared.properties().limits().maxMessageBytes(),
					this.shared.decompressor())) {
				case Payload.Refused(Status status) -> this.answers.accept(List.of(new Answer(reserved, status)));
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
			Timer.Sample sample = this.shared.metrics().storing();
			this.shared.store().store(placed, (results) -> completed(sample, numbered, results));
		}
	}

	private void storeUnnumbered(Reserved reserved, Content content) {
		Timer.Sample sample = this.shared.metrics().storing();
		this.shared.store()
			.store(content)
			.whenComplete((outcome, failure) -> completed(sample, List.of(reserved),
					List.of(new MessageStore.Completed(outcome, failure))));
	}

	private void completed(Timer.Sample sample, List<Reserved> messages, List<MessageStore.Completed> results) {
		int stored = 0;
		int repeated = 0;
		List<Answer> all = new ArrayList<>(results.size());
		for (int i = 0; i < results.size(); i++) {
			MessageStore.Completed result = results.get(i);
			boolean done = result.outcome() != null;
			all.add(new Answer(messages.get(i), done ? null : status(Objects.requireNonNull(result.failure()))));
			stored += (result.outcome() == OnceStore.Outcome.STORED) ? 1 : 0;
			repeated += (result.outcome() == OnceStore.Outcome.REPEATED) ? 1 : 0;
		}
		this.shared.metrics().stored(sample, stored, repeated);
		this.answers.accept(all);
	}

	/** Answers for the messages that the storage has had for too long. */
	List<Answer> overdue(long nowNanos) {
		Duration timeout = this.shared.properties().store().timeout();
		return this.inStorage.olderThan(nowNanos - timeout.toNanos())
			.stream()
			.map((reserved) -> new Answer(reserved,
					status(new StoreUnavailableException("The storage has not answered for %s ms (sink.store.timeout)"
						.formatted(timeout.toMillis())))))
			.toList();
	}

	/**
	 * Removes messages that were answered.
	 * @return those that were there: the storage may answer after the timeout
	 */
	List<Answer> remove(List<Answer> answers) {
		return answers.stream().filter((answer) -> this.inStorage.remove(answer.reserved())).toList();
	}

	/** Returns what was reserved for messages that were removed. */
	void release(List<Answer> removed) {
		long contentBytes = 0;
		long memoryBytes = 0;
		for (Answer answer : removed) {
			contentBytes += answer.reserved().contentBytes;
			memoryBytes += answer.reserved().message.memoryBytes();
		}
		if (contentBytes > 0) {
			this.shared.decompressed().release(contentBytes);
		}
		if (!removed.isEmpty()) {
			this.shared.memory().release(memoryBytes);
			this.shared.storing().release(removed.size());
		}
	}

	/** Waits for room no more. */
	void cancel(Runnable task) {
		this.shared.decompressed().cancel(task);
		this.shared.storing().cancel(task);
		needsNoRoom();
	}

	/** Lets another stream have the room that this one does not need. */
	void needsNoRoom() {
		this.shared.storing().wake();
		this.shared.decompressed().wake();
	}

	boolean isEmpty() {
		return this.inStorage.isEmpty();
	}

	int size() {
		return this.inStorage.size();
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

}
