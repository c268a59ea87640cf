package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SequencedSet;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.client.spool.Spool;
import dev.sluice.sink.client.spool.Spool.Entry;
import dev.sluice.sink.client.wire.RequestWriter;
import dev.sluice.sink.client.wire.WireSessions;
import dev.sluice.sink.format.Id;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to the sink: the messages in flight, and a new stream whenever one has
 * ended. If the channel has several addresses, gRPC chooses one for each stream. The
 * {@link Session} decides which new messages it sends. When the stream ends, nothing is
 * in flight any more, and the session begins again with the oldest message.
 * <p>
 * Confined to the event loop. It respects gRPC's flow control: it sends nothing while the
 * transport is not ready, and requests responses one at a time.
 */
final class SinkConnection {

	private static final Logger logger = LoggerFactory.getLogger(SinkConnection.class);

	/** A stream without acknowledgements is left after this many {@code ackTimeout}s. */
	private static final int SILENT_TIMEOUTS = 3;

	private static final int RESPONSE_VERSION = 1;

	/** A stream is left when more repeats have not been answered. */
	private static final int MAX_STRAYS = 10_000;

	private final ManagedChannel channel;

	private final Session session;

	private final Spool spool;

	private final EventLoop loop;

	private final AdaptiveWindow window;

	private final SinkClientOptions options;

	private final DeliveryListener listener;

	private final Progress progress;

	private final WireSessions sessions;

	/** By id, in the order of sending. */
	private final SequencedMap<Id, InFlight> inFlight = new LinkedHashMap<>();

	/** Messages in flight to be sent again, before new ones. */
	private final SequencedSet<Id> again = new LinkedHashSet<>();

	/**
	 * By id, how many more answers may come on this stream for messages that are done:
	 * those were sent more than once. Another message with the id must not take them.
	 */
	private final Map<Id, Integer> strays = new HashMap<>();

	private @Nullable SinkCall call;

	/** When the sink last acknowledged, or got the first message after a rest. */
	private long silentSince;

	private boolean timerRuns;

	/** Whether it sends nothing for a pause, to a sink that forgets sessions. */
	private boolean resting;

	/** Streams in a row that the sink has not answered on. */
	private int silentStreams;

	private boolean closed;

	/**
	 * A message in flight.
	 *
	 * @param number its number in the spool
	 * @param session session in the spool
	 * @param sentIn session id that the sink got
	 * @param times how often it was sent on this stream
	 */
	private record InFlight(long number, long session, ByteString sentIn, AdaptiveWindow.Flight flight, int times) {
	}

	SinkConnection(ManagedChannel channel, Session session, Spool spool, EventLoop loop, AdaptiveWindow window,
			SinkClientOptions options, DeliveryListener listener, Progress progress) {
		this.channel = channel;
		this.session = session;
		this.spool = spool;
		this.sessions = new WireSessions(spool);
		this.loop = loop;
		this.window = window;
		this.options = options;
		this.listener = listener;
		this.progress = progress;
	}

	/** Whether it can send a message now. */
	boolean canSend() {
		return this.inFlight.size() < limit() && isReady();
	}

	/** Maximum number of messages in flight. */
	private int limit() {
		return (this.call != null) ? Math.min(this.window.size(), this.call.capacity()) : this.window.size();
	}

	private boolean isReady() {
		return !this.resting && this.call != null && this.call.isReady();
	}

	boolean hasInFlight() {
		return !this.inFlight.isEmpty();
	}

	/**
	 * Whether a message with this id is in flight. Another one must wait: an
	 * acknowledgement does not say of which of them it is.
	 */
	boolean isInFlight(Id id) {
		return this.inFlight.containsKey(id);
	}

	/** Shows its state to {@code stats()}. */
	void show() {
		this.progress.show(this.call != null && this.call.isOpen(), this.inFlight.size(), limit());
	}

	/** The largest payload that its sink accepts, in bytes. */
	int maxMessageBytes() {
		return Objects.requireNonNull(this.call).maxMessageBytes();
	}

	/** Sends messages in flight again that were not acknowledged or were refused. */
	void sendAgain() {
		while (!this.again.isEmpty() && isReady()) {
			Id id = this.again.removeFirst();
			InFlight late = this.inFlight.get(id);
			Entry entry = (late != null) ? this.spool.get(late.number()) : null;
			if (late != null && entry != null) {
				// Ids that the client made have no other message.
				send(id, entry, entry.hasOwnId() ? 1 : late.times() + 1);
			}
			else {
				this.inFlight.remove(id);
			}
		}
	}

	/**
	 * Sends a message. Call it only if it {@linkplain #canSend can send one}.
	 * @param times how often it will have been sent on this stream
	 */
	void send(Id id, Entry entry, int times) {
		SinkCall open = Objects.requireNonNull(this.call);
		long now = this.loop.nanoTime();
		if (this.inFlight.isEmpty()) {
			this.silentSince = now;
		}
		AdaptiveWindow.Flight flight = this.window.sent(now, this.inFlight.size(), !this.session.hasMore());
		this.inFlight.putLast(id,
				new InFlight(entry.number(), entry.session(), this.sessions.id(entry.session()), flight, times));
		this.progress.sent(entry.number());
		open.write(entry);
		runTimer(this.options.ackTimeout());
	}

	/** Sends the messages of an incomplete batch: no more follow for now. */
	void endBatch() {
		if (this.call != null) {
			this.call.endBatch();
		}
	}

	/** Ends the stream without waiting, and opens no other. */
	void close() {
		this.closed = true;
		end("The client is closed", null);
	}

	void connect() {
		if (this.closed) {
			return;
		}
		// Otherwise gRPC, which doubles its pause up to two minutes, would notice long
		// afterwards that the sink is there again.
		this.channel.resetConnectBackoff();
		SinkCall started = SinkCall.start(this.channel, this, this.session);
		this.call = started;
		this.session.schedule(this.options.ackTimeout(), () -> {
			if (started == this.call && !started.isOpen()) {
				leave(started, "The sink has not answered for %s".formatted(this.options.ackTimeout()));
			}
		});
	}

	/** Leaves its stream; messages in flight are sent again. */
	private void leave(SinkCall open, String reason) {
		if (++this.silentStreams > 1) {
			// The connection may be dead: the next stream gets another one.
			this.channel.enterIdle();
		}
		open.cancel(reason, null);
		ended(open, Status.DEADLINE_EXCEEDED.withDescription(reason));
	}

	/** Ends the stream, if there is one, for a reason of the client's own. */
	void end(String reason, @Nullable Throwable cause) {
		SinkCall open = this.call;
		if (open != null) {
			open.cancel(reason, cause);
			forget(open, Status.CANCELLED.withCause(cause));
		}
	}

	void received(SinkCall from, Response response) {
		if (from != this.call) {
			return;
		}
		this.silentStreams = 0;
		if (response.getVersion() != RESPONSE_VERSION) {
			unsupported(from, "sends responses of version " + response.getVersion());
			return;
		}
		switch (response.getResponseCase()) {
			case ACK -> acknowledged(response.getAck().getMessageIdsList());
			case INFO -> info(from, response.getInfo());
			case RESPONSE_NOT_SET -> {
				// Of a newer server, and not needed.
			}
		}
		if (this.strays.size() > MAX_STRAYS) {
			leave(from, "The sink has not answered %s repeats".formatted(MAX_STRAYS));
			return;
		}
		this.session.pump();
		from.requestNext();
	}

	private void unsupported(SinkCall from, String what) {
		logger.error("The sink {}: update the older of the two; no message is lost meanwhile", what);
		this.session.pauseLong();
		from.cancel("The version is not known", null);
	}

	private void acknowledged(List<ByteString> ids) {
		long now = this.loop.nanoTime();
		List<Long> stored = new ArrayList<>(ids.size());
		List<ByteString> heard = new ArrayList<>(ids.size());
		for (ByteString bytes : ids) {
			InFlight done = done(Id.of(bytes), now);
			if (done != null) {
				this.window.acked(done.flight(), now, ids.size());
				stored.add(done.number());
				heard.add(bytes);
			}
		}
		this.spool.settle(stored);
		this.progress.acknowledged.add(stored.size());
		this.listener.acknowledged(heard);
	}

	/**
	 * Takes a message that the sink is done with out of flight; null if it was not. A
	 * stream has proved itself once it is done with a message that it got; one that has
	 * only opened may fail again.
	 */
	private @Nullable InFlight done(Id id, long now) {
		Integer stray = this.strays.remove(id);
		InFlight done = (stray == null) ? this.inFlight.remove(id) : null;
		int due = (stray != null) ? stray : (done != null) ? done.times() : 0;
		if (due > 0) {
			this.session.pauseShort();
			this.silentSince = now;
		}
		if (due > 1) {
			this.strays.put(id, due - 1);
		}
		return done;
	}

	private void info(SinkCall from, ServiceMessage info) {
		if (info.getMinVersion() > RequestWriter.VERSION || info.getMaxVersion() < RequestWriter.VERSION) {
			unsupported(from, "accepts only requests of version " + info.getMaxVersion());
			return;
		}
		from.informed(info, this.options, this.sessions, this.progress);
		info.getRefusalsList().forEach((refusal) -> {
			Id id = Id.of(refusal.getMessageId());
			InFlight done = forgotten(id, refusal.getCode()) ? null : done(id, this.loop.nanoTime());
			if (done != null) {
				this.session.refuse(done.number(), refusal.getCode(), SinkCall.inOneLine(refusal.getDescription()));
			}
		});
	}

	/**
	 * Sends a message again in a new session, after a pause, if the sink has forgotten
	 * its session.
	 */
	private boolean forgotten(Id id, int code) {
		InFlight unacknowledged = this.inFlight.get(id);
		if (code != Status.Code.FAILED_PRECONDITION.value() || unacknowledged == null) {
			return false;
		}
		this.sessions.renew(unacknowledged.session(), unacknowledged.sentIn());
		this.again.add(id);
		if (!this.resting) {
			this.resting = true;
			this.session.afterPause(() -> {
				this.resting = false;
				this.session.pump();
			});
		}
		return true;
	}

	void ended(SinkCall from, Status status) {
		if (from == this.call) {
			forget(from, status);
			this.session.pump();
		}
	}

	private void forget(SinkCall from, Status status) {
		this.call = null;
		from.close();
		this.inFlight.clear();
		this.again.clear();
		this.strays.clear();
		this.session.beginAgain();
		if (!this.closed) {
			this.progress.disconnections.increment();
			logger.warn("The stream to the sink {} has ended: {}; trying again in {} ms", this.channel.authority(),
					SinkCall.inOneLine(status), this.session.afterPause(this::connect).toMillis());
		}
	}

	private void runTimer(Duration delay) {
		if (!this.timerRuns) {
			this.timerRuns = true;
			this.session.schedule(delay, this::timer);
		}
	}

	/** One timer for all messages: the one sent first times out first. */
	private void timer() {
		this.timerRuns = false;
		long now = this.loop.nanoTime();
		Duration timeout = this.options.ackTimeout();
		if (this.again.isEmpty()) {
			findLate(now, timeout.toNanos());
		}
		if (!this.again.isEmpty() && now - this.silentSince >= SILENT_TIMEOUTS * timeout.toNanos()) {
			leave(Objects.requireNonNull(this.call),
					"The sink has acknowledged nothing for %s times %s".formatted(SILENT_TIMEOUTS, timeout));
			return;
		}
		this.session.pump();
		if (!this.inFlight.isEmpty()) {
			// Unless it runs already: the transport may not be ready.
			runTimer(timeout);
		}
	}

	private void findLate(long now, long timeoutNanos) {
		for (Map.Entry<Id, InFlight> next : this.inFlight.entrySet()) {
			AdaptiveWindow.Flight flight = next.getValue().flight();
			long left = flight.sentAt() + timeoutNanos - now;
			if (left > 0) {
				runTimer(Duration.ofNanos(left));
				return;
			}
			this.progress.timeouts.increment();
			this.window.lost();
			this.again.add(next.getKey());
		}
	}

}
