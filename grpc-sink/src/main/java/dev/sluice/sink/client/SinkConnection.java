package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;

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

	private static final int RESPONSE_VERSION = 1;

	/** Acknowledgements that are on their way come within this time. */
	private static final Duration REST = Duration.ofMillis(50);

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

	private @Nullable SinkCall call;

	private boolean timerRuns;

	/** Whether it sends nothing more on this stream, to a sink that forgets sessions. */
	private boolean resting;

	/** Streams in a row that the sink has not answered on. */
	private int silentStreams;

	private boolean closed;

	/**
	 * A message in flight.
	 *
	 * @param number its number in the spool
	 * @param session its session in the spool
	 */
	private record InFlight(long number, long session, AdaptiveWindow.Flight flight) {
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

	/** Sends a message. Call it only if it {@linkplain #canSend can send one}. */
	void send(Id id, Entry entry) {
		SinkCall open = Objects.requireNonNull(this.call);
		long now = this.loop.nanoTime();
		AdaptiveWindow.Flight flight = this.window.sent(now, this.inFlight.size(), !this.session.hasMore());
		this.inFlight.put(id, new InFlight(entry.number(), entry.session(), flight));
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
		ended(open, Status.CANCELLED.withDescription(reason));
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
			InFlight done = done(Id.of(bytes));
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
	private @Nullable InFlight done(Id id) {
		InFlight done = this.inFlight.remove(id);
		if (done != null) {
			this.session.pauseShort();
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
			InFlight done = forgotten(from, id, refusal.getCode()) ? null : done(id);
			if (done != null) {
				this.session.refuse(done.number(), refusal.getCode(), SinkCall.inOneLine(refusal.getDescription()));
			}
		});
	}

	/**
	 * Ends the stream soon if the sink has forgotten the session of a message. The next
	 * one sends it in a new session, as all that are not acknowledged by then.
	 */
	private boolean forgotten(SinkCall from, Id id, int code) {
		InFlight unacknowledged = this.inFlight.get(id);
		if (code != Status.Code.FAILED_PRECONDITION.value() || unacknowledged == null) {
			return false;
		}
		if (!this.resting) {
			this.resting = true;
			this.sessions.renew(unacknowledged.session());
			this.session.schedule(REST, () -> {
				if (from == this.call) {
					leave(from, "The sink has forgotten the session");
				}
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
		this.resting = false;
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
		Map.Entry<Id, InFlight> oldest = this.inFlight.firstEntry();
		if (oldest == null) {
			return;
		}
		Duration timeout = this.options.ackTimeout();
		long left = oldest.getValue().flight().sentAt() + timeout.toNanos() - this.loop.nanoTime();
		if (left > 0) {
			runTimer(Duration.ofNanos(left));
			return;
		}
		this.progress.timeouts.increment();
		this.window.lost();
		leave(Objects.requireNonNull(this.call), "The sink has not acknowledged a message for %s".formatted(timeout));
	}

}
