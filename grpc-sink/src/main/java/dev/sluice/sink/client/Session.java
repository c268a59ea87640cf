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
 * Moves what is in the spool to the sink, over one {@link Lane} for each address. A
 * message goes to the lane that has least of its window in use; but where sinks know
 * sequences, all go to one lane until that fails. It is in flight on a lane, is to be
 * sent again on any, or waits in the spool behind all that were ever sent.
 * <p>
 * Everything happens on the event loop, but for {@link #appended} and the snapshot.
 * Payloads in flight are not kept: what has to be sent again is read from the spool
 * again. What fails on the loop, a listener's exception too, ends the streams, and the
 * next ones begin with what the spool has.
 */
final class Session {

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	private final Spool spool;

	private final EventLoop loop;

	private final DeliveryListener listener;

	private final AtomicBoolean pumpScheduled = new AtomicBoolean();

	private final List<Lane> lanes;

	private final Resends again = new Resends();

	/** Messages that are in flight under an id that another one brought. */
	private final Map<ByteString, List<Long>> repeats = new HashMap<>();

	/** Done, and the spool is not told yet. */
	private final List<Long> settled = new ArrayList<>();

	/** The number of the last message that was ever sent. */
	private long last = -1;

	/** Which opening of the spool has the messages in flight. */
	private long sending;

	private final Progress progress = new Progress();

	/**
	 * The lane that messages with sequences go to: two would take them from each other.
	 */
	private @Nullable Lane home;

	@SuppressWarnings("this-escape") // The lanes begin when the session is opened.
	Session(List<? extends Channel> channels, Spool spool, EventLoop loop, Supplier<Window> windows,
			SinkClientOptions options, DeliveryListener listener, RandomGenerator random) {
		this.spool = spool;
		this.loop = loop;
		this.listener = listener;
		Dictionaries dictionaries = new Dictionaries(options.spool());
		WireSessions sessions = new WireSessions(spool);
		this.lanes = channels.stream()
			.map((channel) -> new Lane(channel, this, loop, windows.get(), options, listener, random, dictionaries,
					this.progress, sessions))
			.toList();
	}

	void open() {
		execute(() -> this.lanes.forEach(Lane::connect));
	}

	void execute(Runnable task) {
		this.loop.execute(() -> run(task));
	}

	void schedule(Duration delay, Runnable task) {
		this.loop.schedule(delay, () -> run(task));
	}

	/** Without a stream there is nothing to mend: the next one is on its way. */
	private void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("The client has failed; it opens its streams anew", ex);
			boolean open = false;
			for (Lane lane : this.lanes) {
				open |= lane.fail(ex);
			}
			if (open) {
				beginAnew();
				show();
			}
		}
	}

	/** What is known of single messages may be half done. The spool has them all. */
	private void beginAnew() {
		this.again.clear();
		this.repeats.clear();
		this.settled.clear();
		this.last = -1;
	}

	/** There is something new in the spool. Any thread. */
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

	/** Ends the streams, without waiting for anything; at once if a listener calls it. */
	void close() {
		if (this.loop.isRunning()) {
			this.lanes.forEach(Lane::close);
		}
		else {
			execute(() -> this.lanes.forEach(Lane::close));
		}
	}

	/**
	 * Sends while there is anything to send, and a lane with room for it whose transport
	 * takes it.
	 */
	void pump() {
		Lane lane = leastLoaded();
		while (lane != null) {
			Entry next = waiting();
			if (next == null || awaitsEarlierOpening(next)) {
				break;
			}
			give(lane, next);
			lane = leastLoaded();
		}
		this.lanes.forEach(Lane::rest);
		show();
	}

	/**
	 * The sink stores the messages of one session in their order, but not those of two:
	 * what an earlier opening of the spool left is there before anything newer is sent.
	 */
	private boolean awaitsEarlierOpening(Entry next) {
		if (next.session() != this.sending && this.lanes.stream().anyMatch((lane) -> lane.inFlight() > 0)) {
			return true;
		}
		this.sending = next.session();
		return false;
	}

	/** Null if none takes a message now. */
	private @Nullable Lane leastLoaded() {
		Lane stay = home();
		Lane least = null;
		for (Lane lane : this.lanes) {
			if (lane.takes() && (stay == null || lane == stay) && (least == null || lane.load() < least.load())) {
				least = lane;
			}
		}
		return least;
	}

	/**
	 * Null if no sink knows sequences. What is in flight on the lane before is sent again
	 * on the new one: else what comes behind it would be stored before it.
	 */
	private @Nullable Lane home() {
		Lane before = this.home;
		this.home = nextHome(before);
		if (before != null && this.home != null && before != this.home) {
			before.handOver();
		}
		return this.home;
	}

	private @Nullable Lane nextHome(@Nullable Lane now) {
		if (now != null && now.numbers() && !now.doubted()) {
			return now;
		}
		Lane next = null;
		for (Lane lane : this.lanes) {
			if (lane.numbers() && (next == null || (next.doubted() && !lane.doubted()))) {
				next = lane;
			}
		}
		return (now != null && now.numbers() && (next == null || next.doubted())) ? now : next;
	}

	private void give(Lane lane, Entry entry) {
		Id id = Id.of(entry.id());
		if (entry.payload().length > lane.maxMessageBytes()) {
			refuseTooLarge(entry, lane.maxMessageBytes());
		}
		else if (lane.has(id)) {
			// Appended twice: the one acknowledgement is for both.
			this.again.remove(entry.number());
			this.repeats.computeIfAbsent(entry.id(), (_) -> new ArrayList<>()).add(entry.number());
			this.last = Math.max(this.last, entry.number());
		}
		else {
			if (!this.again.remove(entry.number())) {
				this.last = entry.number();
			}
			this.progress.sent(entry.number());
			lane.send(id, entry);
		}
	}

	/** As the sink would; but gRPC ends the stream for what is much too large. */
	private void refuseTooLarge(Entry entry, int maxBytes) {
		this.again.remove(entry.number());
		this.last = Math.max(this.last, entry.number());
		int code = Status.Code.RESOURCE_EXHAUSTED.value();
		String description = "The payload has %d bytes, and the sink takes %d".formatted(entry.payload().length,
				maxBytes);
		refuse(entry.number(), code, description);
		this.listener.refused(entry.id(), code, description);
	}

	private void refuse(long number, int code, String description) {
		logger.error("The sink will never take message {}: {}; it stays in the spool, as refused", number, description);
		this.spool.refuse(number, code, description);
		this.progress.refused++;
	}

	private @Nullable Entry waiting() {
		while (!this.again.isEmpty()) {
			long first = this.again.first();
			Entry entry = this.spool.get(first);
			if (entry != null) {
				return entry;
			}
			this.again.remove(first);
		}
		return this.spool.next(this.last);
	}

	boolean hasSeveralLanes() {
		return this.lanes.size() > 1;
	}

	/** Whether there is anything to send. */
	boolean hasMore() {
		return !this.again.isEmpty() || this.spool.hasNext(this.last);
	}

	/** It is in flight no more and is to be sent again, before all others. */
	void again(ByteString id, long number) {
		this.again.add(id, number);
	}

	/**
	 * The sink is done with a message.
	 * @param number of the message in flight; null if it is no more in flight
	 */
	void settle(ByteString id, @Nullable Long number) {
		Long known = (number != null) ? number : this.again.remove(id);
		if (known != null) {
			this.settled.add(known);
		}
		List<Long> others = this.repeats.remove(id);
		if (others != null) {
			this.settled.addAll(others);
		}
	}

	/** What is settled is stored. */
	void tellSpool() {
		this.spool.settle(this.settled);
		this.progress.acknowledged(this.settled.size());
		this.settled.clear();
	}

	/** What is settled is refused. */
	void refuseSettled(int code, String description) {
		this.settled.forEach((number) -> refuse(number, code, description));
		this.settled.clear();
	}

	private void show() {
		boolean connected = false;
		int inFlight = 0;
		int window = 0;
		for (Lane lane : this.lanes) {
			connected |= lane.connected();
			inFlight += lane.inFlight();
			window += lane.limit();
		}
		this.progress.show(connected, inFlight, window);
	}

}
