package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.Spool.Entry;
import io.grpc.Channel;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves messages from the spool to the sink, over one {@link SinkConnection} for each
 * address. A message goes to the connection with the lowest share of its window in use;
 * if sinks support sequences, all go to one connection until it fails. A message is in
 * flight on a connection, is to be sent again on any connection, or waits in the spool
 * after all that were sent before.
 * <p>
 * Confined to the event loop, except for {@link #appended} and the snapshot. Payloads in
 * flight are not kept in memory: a message to send again is read from the spool again. An
 * exception on the loop, also a listener's, ends the streams, and the next ones start
 * with all messages in the spool.
 */
final class Session {

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	private final Spool spool;

	private final EventLoop loop;

	private final DeliveryListener listener;

	private final AtomicBoolean pumpScheduled = new AtomicBoolean();

	private final List<SinkConnection> connections;

	private final Resends resends = new Resends();

	/** Numbers of messages whose id is already in flight with another message. */
	private final Map<ByteString, List<Long>> repeats = new HashMap<>();

	/** Numbers of settled messages that are not settled in the spool yet. */
	private final List<Long> settled = new ArrayList<>();

	/** The greatest number sent so far. */
	private long last = -1;

	/** The spool session of the messages in flight. */
	private long sending;

	private final Progress progress = new Progress();

	/**
	 * The connection for messages with sequences: with two, the sinks would end each
	 * other's streams.
	 */
	private @Nullable SinkConnection home;

	@SuppressWarnings("this-escape") // The connections begin when the session is opened.
	Session(List<? extends Channel> channels, Spool spool, EventLoop loop, Supplier<Window> windows,
			SinkClientOptions options, DeliveryListener listener, RandomGenerator random) {
		this.spool = spool;
		this.loop = loop;
		this.listener = listener;
		Dictionaries dictionaries = new Dictionaries(options.spool());
		WireSessions sessions = new WireSessions(spool);
		this.connections = channels.stream()
			.map((channel) -> new SinkConnection(channel, this, loop, windows.get(), options, listener, random,
					dictionaries, this.progress, sessions))
			.toList();
	}

	void open() {
		execute(() -> this.connections.forEach(SinkConnection::connect));
	}

	void execute(Runnable task) {
		this.loop.execute(() -> run(task));
	}

	void schedule(Duration delay, Runnable task) {
		this.loop.schedule(delay, () -> run(task));
	}

	/** Runs a task. If it fails, the streams end and new ones are opened. */
	private void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("The client has failed; it ends its streams and opens new ones", ex);
			this.connections.forEach((connection) -> connection.fail(ex));
			reset();
			show();
		}
	}

	/**
	 * Forgets the state of single messages, which may be inconsistent. The spool has all.
	 */
	private void reset() {
		this.resends.clear();
		this.repeats.clear();
		this.settled.clear();
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

	Progress.Snapshot snapshot() {
		return this.progress.snapshot();
	}

	/** Ends the streams without waiting; before it returns if a listener calls it. */
	void close() {
		if (this.loop.isRunning()) {
			this.connections.forEach(SinkConnection::close);
		}
		else {
			execute(() -> this.connections.forEach(SinkConnection::close));
		}
	}

	/**
	 * Sends while there are messages to send and a connection with room and a ready
	 * transport.
	 */
	void pump() {
		SinkConnection connection = leastLoaded();
		while (connection != null) {
			Entry next = waiting();
			if (next == null || awaitsEarlierOpening(next)) {
				break;
			}
			assign(connection, next);
			connection = leastLoaded();
		}
		this.connections.forEach(SinkConnection::endBatch);
		show();
	}

	/**
	 * The sink keeps the order within a session, but not across sessions. So the messages
	 * of an earlier opening of the spool must be settled before newer ones are sent.
	 */
	private boolean awaitsEarlierOpening(Entry next) {
		if (next.session() != this.sending
				&& this.connections.stream().anyMatch((connection) -> connection.inFlight() > 0)) {
			return true;
		}
		this.sending = next.session();
		return false;
	}

	/** The connection for the next message; null if none can send one now. */
	private @Nullable SinkConnection leastLoaded() {
		SinkConnection current = home();
		SinkConnection least = null;
		for (SinkConnection connection : this.connections) {
			if (connection.canSend() && (current == null || connection == current)
					&& (least == null || connection.load() < least.load())) {
				least = connection;
			}
		}
		return least;
	}

	/**
	 * The connection for messages with sequences; null if no sink supports them. When it
	 * changes, messages in flight on the old connection are sent again on the new one:
	 * otherwise later messages would be stored before them.
	 */
	private @Nullable SinkConnection home() {
		SinkConnection before = this.home;
		this.home = nextHome(before);
		if (before != null && this.home != null && before != this.home) {
			before.handOver();
		}
		return this.home;
	}

	private @Nullable SinkConnection nextHome(@Nullable SinkConnection now) {
		if (now != null && now.supportsSequences() && !now.doubted()) {
			return now;
		}
		SinkConnection next = null;
		for (SinkConnection connection : this.connections) {
			if (connection.supportsSequences() && (next == null || (next.doubted() && !connection.doubted()))) {
				next = connection;
			}
		}
		return (now != null && now.supportsSequences() && (next == null || next.doubted())) ? now : next;
	}

	private void assign(SinkConnection connection, Entry entry) {
		Id id = Id.of(entry.id());
		if (entry.payload().length > connection.maxMessageBytes()) {
			refuseTooLarge(entry, connection.maxMessageBytes());
		}
		else if (connection.has(id)) {
			// The id was appended twice: one acknowledgement settles both.
			this.resends.remove(entry.number());
			this.repeats.computeIfAbsent(entry.id(), (_) -> new ArrayList<>()).add(entry.number());
			this.last = Math.max(this.last, entry.number());
		}
		else {
			if (!this.resends.remove(entry.number())) {
				this.last = entry.number();
			}
			this.progress.sent(entry.number());
			connection.send(id, entry);
		}
	}

	/** Refuses it like the sink, which would end the stream if it is much too large. */
	private void refuseTooLarge(Entry entry, int maxBytes) {
		this.resends.remove(entry.number());
		this.last = Math.max(this.last, entry.number());
		int code = Status.Code.RESOURCE_EXHAUSTED.value();
		String description = "The payload has %d bytes; the sink accepts at most %d".formatted(entry.payload().length,
				maxBytes);
		refuse(entry, code, description);
	}

	private void refuse(Entry entry, int code, String description) {
		logger.error("Message {} is permanently refused: {}", entry.number(), description);
		this.listener.refused(new Message(entry.id(), entry.payload(), entry.key()), code, description);
		this.spool.settle(List.of(entry.number()));
		this.progress.refused++;
	}

	private @Nullable Entry waiting() {
		while (!this.resends.isEmpty()) {
			long first = this.resends.first();
			Entry entry = this.spool.get(first);
			if (entry != null) {
				return entry;
			}
			this.resends.remove(first);
		}
		return this.spool.next(this.last);
	}

	boolean hasSeveralConnections() {
		return this.connections.size() > 1;
	}

	/** Whether there are messages to send. */
	boolean hasMore() {
		return !this.resends.isEmpty() || this.spool.hasNext(this.last);
	}

	/** Queues a message that is no longer in flight to be sent again, before new ones. */
	void resend(ByteString id, long number) {
		this.resends.add(id, number);
	}

	/**
	 * Settles a message that the sink acknowledged or refused.
	 * @param number its number; null if it is no longer in flight
	 */
	void settle(ByteString id, @Nullable Long number) {
		Long known = (number != null) ? number : this.resends.remove(id);
		if (known != null) {
			this.settled.add(known);
		}
		List<Long> others = this.repeats.remove(id);
		if (others != null) {
			this.settled.addAll(others);
		}
	}

	/** Settles the messages in the spool as stored. */
	void flushSettled() {
		this.spool.settle(this.settled);
		this.progress.acknowledged(this.settled.size());
		this.settled.clear();
	}

	/** Hands the messages to the listener, and settles them in the spool. */
	void refuseSettled(int code, String description) {
		for (long number : this.settled) {
			Entry entry = this.spool.get(number);
			if (entry != null) {
				refuse(entry, code, description);
			}
		}
		this.settled.clear();
	}

	private void show() {
		boolean connected = false;
		int inFlight = 0;
		int window = 0;
		for (SinkConnection connection : this.connections) {
			connected |= connection.connected();
			inFlight += connection.inFlight();
			window += connection.limit();
		}
		this.progress.show(connected, inFlight, window);
	}

}
