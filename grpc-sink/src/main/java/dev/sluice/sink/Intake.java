package dev.sluice.sink;

import java.util.ArrayDeque;
import java.util.Queue;

import dev.sluice.sink.ServerMachine.Effect;
import dev.sluice.sink.ServerMachine.Event;
import dev.sluice.sink.ServerMachine.State;
import dev.sluice.sink.ServerMachine.Step;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream that wait for the storage: performs the effects of
 * {@link ServerMachine}. Bounded by {@code sink.stream.queue-capacity}; their memory
 * counts. Not thread-safe: the stream's lock guards it.
 */
final class Intake {

	private final int capacity;

	private final SharedLimit memory;

	private final SinkMetrics metrics;

	private final Outbox outbox;

	private final Queue<Received.Message> queue = new ArrayDeque<>();

	private State state = State.HAS_CAPACITY;

	Intake(int capacity, SharedLimit memory, SinkMetrics metrics, Outbox outbox) {
		this.capacity = capacity;
		this.memory = memory;
		this.metrics = metrics;
		this.outbox = outbox;
	}

	/**
	 * Adds a message. If there is no room, the oldest one is dropped.
	 * @return whether a message with a sequence was dropped: sent again, it would be
	 * stored behind the messages after it
	 */
	boolean add(Received.Message message) {
		Received.Message oldest = this.queue.peek();
		Step step = step((this.queue.size() + 1 >= this.capacity) ? Event.RECEIVED_LAST : Event.RECEIVED);
		for (Effect effect : step.effects()) {
			switch (effect) {
				case ENQUEUE -> {
					this.queue.add(message);
					this.metrics.queued(1);
					this.memory.add(message.memoryBytes());
				}
				case DROP_OLDEST -> {
					this.memory.release(remove().memoryBytes());
					this.outbox.dropped();
					this.metrics.dropped();
				}
				case REPORT_CAPACITY -> this.outbox.reportCapacity();
				case FORWARD_OLDEST -> throw new AssertionError("Only the storage asks for it");
			}
		}
		return oldest != null && oldest.sequence() > 0 && step.effects().contains(Effect.DROP_OLDEST);
	}

	private Step step(Event event) {
		Step step = ServerMachine.step(this.state, event);
		this.state = step.next();
		return step;
	}

	private Received.Message remove() {
		this.metrics.queued(-1);
		return this.queue.remove();
	}

	/** The oldest message; null if there is none. */
	Received.@Nullable Message peek() {
		return this.queue.peek();
	}

	/** Removes the oldest message for the storage. Its memory still counts. */
	Received.Message forward() {
		step(Event.STORAGE_READY);
		return remove();
	}

	boolean isEmpty() {
		return this.queue.isEmpty();
	}

	int size() {
		return this.queue.size();
	}

	/** Drops all messages. */
	void clear() {
		this.metrics.queued(-this.queue.size());
		this.memory.release(this.queue.stream().mapToLong(Received.Message::memoryBytes).sum());
		this.queue.clear();
	}

}
