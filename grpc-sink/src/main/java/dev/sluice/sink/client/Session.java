package dev.sluice.sink.client;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.Spool;
import dev.sluice.sink.client.spool.Spool.Entry;
import dev.sluice.sink.format.Id;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves messages from the spool to the sink, over a {@link SinkConnection}. A message is
 * in flight, or waits in the spool after all that were sent on this stream.
 * <p>
 * Confined to the event loop, except for {@link #appended} and {@link #stats}. Payloads
 * in flight are not kept in memory: what is refused is read from the spool again. An
 * exception on the loop, also a listener's, ends the stream, and the next one starts with
 * all messages in the spool.
 */
final class Session {

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	private static final Duration MIN_PAUSE = Duration.ofMillis(50);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

	private final Spool spool;

	private final EventLoop loop;

	private final DeliveryListener listener;

	private final AtomicBoolean pumpScheduled = new AtomicBoolean();

	private final SinkConnection connection;

	/** The greatest number sent on this stream. */
	private long last = -1;

	/** The spool session of the messages in flight. */
	private long sending;

	/** Before the next attempt at something that failed. */
	private Duration pause = MIN_PAUSE;

	private final Progress progress = new Progress();

	@SuppressWarnings("this-escape") // The connection begins when the session is opened.
	Session(ManagedChannel channel, Spool spool, EventLoop loop, AdaptiveWindow window, SinkClientOptions options,
			DeliveryListener listener) {
		this.spool = spool;
		this.loop = loop;
		this.listener = listener;
		this.connection = new SinkConnection(channel, this, spool, loop, window, options, listener, this.progress);
	}

	void open() {
		execute(this.connection::connect);
	}

	void execute(Runnable task) {
		this.loop.execute(() -> run(task));
	}

	void schedule(Duration delay, Runnable task) {
		this.loop.schedule(delay, () -> run(task));
	}

	/**
	 * Runs a task after half to one and a half of the pause, which then doubles.
	 * @return when it will run
	 */
	Duration afterPause(Runnable task) {
		Duration delay = this.pause.multipliedBy(50 + ThreadLocalRandom.current().nextInt(101)).dividedBy(100);
		this.pause = Collections.min(List.of(this.pause.multipliedBy(2), MAX_PAUSE));
		schedule(delay, task);
		return delay;
	}

	/** The sink is done with a message. */
	void pauseShort() {
		this.pause = MIN_PAUSE;
	}

	/** The sink needs somebody's help. */
	void pauseLong() {
		this.pause = MAX_PAUSE;
	}

	/** Runs a task. If it fails, the stream ends and a new one is opened. */
	private void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("The client has failed; it ends its stream and opens a new one", ex);
			this.connection.end("The client has failed", ex);
			this.connection.show();
		}
	}

	/** Begins with the oldest message: none is in flight any more, the spool has all. */
	void beginAgain() {
		this.last = -1;
	}

	/** Sends new messages in the spool. Any thread may call it. */
	void appended() {
		if (this.pumpScheduled.compareAndSet(false, true)) {
			execute(() -> {
				this.pumpScheduled.set(false);
				pump();
			});
		}
	}

	/** Any thread may call it. */
	SinkClient.Stats stats() {
		return this.progress.stats(this.spool);
	}

	/** Ends the stream without waiting; before it returns if a listener calls it. */
	void close() {
		if (this.loop.isRunning()) {
			this.connection.close();
		}
		else {
			execute(this.connection::close);
		}
	}

	/** Sends while there are messages to send, room, and a ready transport. */
	void pump() {
		while (this.connection.canSend()) {
			Entry next = this.spool.next(this.last);
			if (next == null || !send(next)) {
				break;
			}
		}
		this.connection.endBatch();
		this.connection.show();
	}

	/**
	 * The sink keeps the order within a session, but not across sessions. So the messages
	 * of an earlier opening of the spool must be settled before newer ones are sent.
	 */
	private boolean awaitsEarlierOpening(Entry next) {
		if (next.session() != this.sending && this.connection.hasInFlight()) {
			return true;
		}
		this.sending = next.session();
		return false;
	}

	/** Returns false if the message must wait for others that are in flight. */
	private boolean send(Entry entry) {
		Id id = Id.of(entry.id());
		if (awaitsEarlierOpening(entry) || this.connection.isInFlight(id)) {
			return false;
		}
		this.last = entry.number();
		int maxBytes = this.connection.maxMessageBytes();
		if (entry.payload().length > maxBytes) {
			// Like the sink, which would end the stream if it is much too large.
			refuse(entry, Status.Code.RESOURCE_EXHAUSTED.value(),
					"The payload has %s bytes; the sink accepts at most %s".formatted(entry.payload().length,
							maxBytes));
		}
		else {
			this.connection.send(id, entry);
		}
		return true;
	}

	private void refuse(Entry entry, int code, String description) {
		logger.error("Message {} is permanently refused: {}", entry.number(), description);
		this.listener.refused(new Message(entry.id(), entry.payload(), entry.key()), code, description);
		this.spool.settle(List.of(entry.number()));
		this.progress.refused.increment();
	}

	/** Whether there are messages to send. */
	boolean hasMore() {
		return this.spool.hasNext(this.last);
	}

	/** Hands a message to the listener, and settles it in the spool. */
	void refuse(long number, int code, String description) {
		Entry entry = this.spool.get(number);
		if (entry != null) {
			refuse(entry, code, description);
		}
	}

}
