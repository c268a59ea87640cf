package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import com.google.protobuf.ByteString;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.request.Payload;
import dev.sluice.sink.request.Received;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.store.MessageStore;
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

	private final BiConsumer<Batch, List<Answer>> answers;

	private final Fence fence = new Fence();

	/** Those that the storage has not answered, oldest first. */
	private final SequencedSet<Batch> batches = new LinkedHashSet<>();

	private int size;

	/**
	 * Creates a storage without messages.
	 * @param owner owner of the ids of the messages: {@link InboundCall#owner()}
	 * @param answers receives the storage's answers, on any thread and without the lock
	 */
	StreamStorage(long owner, Shared shared, BiConsumer<Batch, List<Answer>> answers) {
		this.owner = owner;
		this.shared = shared;
		this.answers = answers;
	}

	/** Messages that are stored together and answered together. */
	static final class Batch {

		private final List<Received.Message> messages = new ArrayList<>();

		/** Memory reserved to decompress its only message, in bytes. */
		private final int contentBytes;

		private final long sinceNanos;

		private Batch(int contentBytes, long sinceNanos) {
			this.contentBytes = contentBytes;
			this.sinceNanos = sinceNanos;
		}

	}

	/**
	 * The storage's answer for a message.
	 *
	 * @param failure null if it is stored
	 */
	record Answer(ByteString id, @Nullable Status failure) {
	}

	/**
	 * Reserves room for a message.
	 * @return the batch to add it to; null if there is no room, then the task runs once
	 * there is
	 */
	@Nullable Batch acquire(Received.Message message, Runnable task) {
		int contentBytes = (message.kind() == Received.Kind.ZSTD)
				? this.shared.decompressor().contentBytes(message.payload()) : 0;
		if (contentBytes > 0 && !this.shared.decompressed().acquire(contentBytes, task)) {
			return null;
		}
		if (!this.shared.storing().acquire(1, task)) {
			if (contentBytes > 0) {
				this.shared.decompressed().release(contentBytes);
			}
			return null;
		}
		Batch batch = new Batch(contentBytes, this.shared.nanoTime().getAsLong());
		this.batches.add(batch);
		return batch;
	}

	/** Reserves room for a message to be added to a batch that is not empty. */
	boolean tryJoin(Batch batch, Received.@Nullable Message next) {
		return batch.messages.size() < Received.Batch.MAX_MESSAGES && canBeStoredWith(batch.messages.getFirst(), next)
				&& this.shared.storing().tryAcquire(1);
	}

	/** Whether both may be stored together: zstd frames wait for memory one by one. */
	static boolean canBeStoredWith(Received.Message first, Received.@Nullable Message next) {
		return next != null && first.isQueuedAtOnce() && next.isQueuedAtOnce() && first.session() != null
				&& next.session() != null && first.session().id().equals(next.session().id());
	}

	/** Adds a message, for which there is room, to the newest batch. */
	void add(Received.Message message) {
		this.batches.getLast().messages.add(message);
		this.size++;
	}

	/**
	 * Stores a batch. Call it without the lock: it may block for a bounded time, for the
	 * store's buffer.
	 */
	void store(Batch batch) {
		List<Answer> answers = new ArrayList<>(batch.messages.size());
		List<MessageStore.Placed> placed = new ArrayList<>(batch.messages.size());
		for (Received.Message message : batch.messages) {
			switch (Payload.read(message, this.shared.properties().limits().maxMessageBytes(),
					this.shared.decompressor())) {
				case Payload.Refused(Status status) -> answers.add(new Answer(message.id(), status));
				case Payload.Readable(byte[] bytes) -> placed.add(new MessageStore.Placed(message.place(this.fence),
						new Content(message.id(), message.key(), this.owner, bytes)));
			}
		}
		if (placed.isEmpty()) {
			this.answers.accept(batch, answers);
			return;
		}
		Timer.Sample sample = this.shared.metrics().storing();
		this.shared.store().store(placed, (results) -> later(() -> {
			for (int i = 0; i < results.size(); i++) {
				answers.add(new Answer(placed.get(i).content().id(), results.get(i).failure()));
			}
			this.shared.metrics().stored(sample, results);
			this.answers.accept(batch, answers);
		}));
	}

	/** After {@code sink.store.delay}, which is for measurements. Blocks no thread. */
	private void later(Runnable completed) {
		Duration delay = this.shared.properties().store().delay();
		if (delay.isZero()) {
			completed.run();
		}
		else {
			var _ = this.shared.timer().schedule(completed, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	/** The batches that the storage has had for too long. */
	List<Batch> overdue(long nowNanos) {
		long timeout = this.shared.properties().store().timeout().toNanos();
		return this.batches.stream().takeWhile((batch) -> nowNanos - batch.sinceNanos > timeout).toList();
	}

	/** Answers for the messages of such a batch. */
	List<Answer> timedOut(Batch batch) {
		Status status = MessageStore.Completed
			.notNow("The storage has not answered for %s ms (sink.store.timeout)"
				.formatted(this.shared.properties().store().timeout().toMillis()))
			.failure();
		return batch.messages.stream().map((message) -> new Answer(message.id(), status)).toList();
	}

	/**
	 * Removes a batch that was answered.
	 * @return false if it was removed before: the storage may answer after the timeout
	 */
	boolean remove(Batch batch) {
		boolean removed = this.batches.remove(batch);
		this.size -= removed ? batch.messages.size() : 0;
		return removed;
	}

	/** Returns what was reserved for a batch that was removed. */
	void release(Batch batch) {
		if (batch.contentBytes > 0) {
			this.shared.decompressed().release(batch.contentBytes);
		}
		this.shared.memory().release(batch.messages.stream().mapToLong(Received.Message::memoryBytes).sum());
		this.shared.storing().release(batch.messages.size());
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
		return this.batches.isEmpty();
	}

	int size() {
		return this.size;
	}

}
