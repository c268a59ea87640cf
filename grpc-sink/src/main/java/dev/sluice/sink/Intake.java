package dev.sluice.sink;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

import dev.sluice.sink.request.Received;
import dev.sluice.sink.sequence.ClientSession;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * What one stream receives: the messages that wait for the storage, and how many requests
 * the client may send. Not thread-safe: the stream's lock guards it.
 * <p>
 * Bounded by {@code sink.stream.queue-capacity}. If a client sends more than that, the
 * oldest message is dropped and the client is sent the capacity again. The memory of its
 * messages counts, and is limited for all streams together: while it is used up, no
 * stream requests more messages, so flow control holds the clients back. A compressed
 * message waits as received while the decompressed messages in the storage take too much
 * memory.
 */
final class Intake {

	/**
	 * Bytes to request in advance, which hides the hop to the network's thread: as many
	 * requests as have this many bytes if they are like the last one, and at least one.
	 */
	static final int PREFETCH_BYTES = 80 * 1024;

	private static final int MAX_PREFETCH = 4;

	private final Shared shared;

	private final Queue<Received.Message> queue = new ArrayDeque<>();

	/** The session of messages with a sequence; null until the client has sent one. */
	private @Nullable ClientSession session;

	/** The highest sequence of the session that has come on this stream. */
	private long highest;

	/** Requests asked of the transport that have not arrived. */
	private int requested;

	/** Requests to ask of the transport in advance. */
	private int prefetch = 1;

	Intake(Shared shared) {
		this.shared = shared;
	}

	/**
	 * Checks the messages of one request.
	 * @param of their session; null if it is that of the stream
	 * @return why the stream must not accept them; null if it may
	 */
	@Nullable Status check(List<Received.Message> messages, @Nullable ClientSession of) {
		if (of != null) {
			this.highest = (this.session != null && of.id().equals(this.session.id())) ? this.highest : 0;
			this.session = of;
		}
		if (this.session == null && messages.stream().anyMatch((message) -> message.sequence() > 0)) {
			return Status.INVALID_ARGUMENT
				.withDescription("A message with a sequence needs a session before it, or in its request");
		}
		return null;
	}

	/** A request has arrived, with messages of this much memory. */
	void arrived(long bytes) {
		this.requested--;
		this.prefetch = (int) Math.clamp(PREFETCH_BYTES / bytes, 1, MAX_PREFETCH);
	}

	/**
	 * Returns how many requests to ask of the transport now. If there is no memory, the
	 * task runs once there is.
	 */
	int toRequest(Runnable task) {
		int count = this.prefetch - this.requested;
		if (count <= 0 || !this.shared.memory().hasRoom(task)) {
			return 0;
		}
		this.requested += count;
		return count;
	}

	/** Whether the queue has no room for another message once it has some more. */
	boolean isFullWith(int more) {
		return this.queue.size() + more >= this.shared.properties().stream().queueCapacity();
	}

	void add(Received.Message message) {
		ClientSession of = this.session;
		if (of != null && message.sequence() > this.highest) {
			this.highest = message.sequence();
		}
		else if (of != null) {
			of = of.ofRepeat();
		}
		this.queue.add(message.of(of));
		this.shared.metrics().queued(1);
		this.shared.memory().add(message.memoryBytes());
	}

	void dropOldest() {
		this.shared.memory().release(takeOldest().memoryBytes());
		this.shared.metrics().dropped();
	}

	/** Removes the oldest message. Its memory still counts. */
	Received.Message takeOldest() {
		this.shared.metrics().queued(-1);
		return this.queue.remove();
	}

	/** The oldest message; null if there is none. */
	Received.@Nullable Message peek() {
		return this.queue.peek();
	}

	boolean isEmpty() {
		return this.queue.isEmpty();
	}

	int size() {
		return this.queue.size();
	}

	/** Drops all messages. */
	void clear() {
		this.shared.metrics().queued(-this.queue.size());
		this.shared.memory().release(this.queue.stream().mapToLong(Received.Message::memoryBytes).sum());
		this.queue.clear();
	}

}
