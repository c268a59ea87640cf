package dev.sluice.sink.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.client.ClientMachine.Effect;
import dev.sluice.sink.client.ClientMachine.Event;
import dev.sluice.sink.client.ClientMachine.Fill;
import dev.sluice.sink.client.ClientMachine.State;
import dev.sluice.sink.client.ClientMachine.Step;
import dev.sluice.sink.client.spool.Spool.Entry;
import dev.sluice.sink.client.wire.Compression;
import dev.sluice.sink.client.wire.Dictionaries;
import dev.sluice.sink.client.wire.RequestWriter;
import dev.sluice.sink.client.wire.WireSessions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to the sink. Performs the effects of {@link ClientMachine}, and opens a
 * new stream whenever one has ended. If the channel has several addresses, gRPC chooses
 * one for each stream. The {@link Session} decides which messages it sends. When its
 * stream ends, the messages in flight return to the session.
 * <p>
 * Confined to the event loop. It respects gRPC's flow control: it sends nothing while the
 * transport is not ready, and requests responses one at a time.
 */
final class SinkConnection {

	private static final Logger logger = LoggerFactory.getLogger(SinkConnection.class);

	/** Bytes that the transport buffers while it is ready: several messages of 20 KB. */
	private static final int TRANSPORT_BYTES = 256 * 1024;

	private static final Duration MIN_PAUSE = Duration.ofMillis(50);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

	/** A stream without acknowledgements is left after this many {@code ackTimeout}s. */
	private static final int SILENT_TIMEOUTS = 3;

	private final Channel channel;

	private final Session session;

	private final EventLoop loop;

	private final Window window;

	private final SinkClientOptions options;

	private final DeliveryListener listener;

	private final RandomGenerator random;

	private final Dictionaries dictionaries;

	private final Progress progress;

	private final WireSessions sessions;

	/** By id, in the order of sending. */
	private final Map<Id, InFlight> inFlight = new LinkedHashMap<>();

	private State state = State.IDLE;

	/** Maximum number of messages in flight. */
	private int limit = 1;

	/** The message being sent. */
	private @Nullable Entry next;

	private @Nullable Stream stream;

	private Duration pause = MIN_PAUSE;

	private boolean timerRuns;

	private boolean closed;

	/**
	 * A message in flight.
	 *
	 * @param number number in the spool
	 * @param session session in the spool
	 * @param sentIn session id that the sink got; null if it does not support sequences
	 */
	private record InFlight(long number, long session, @Nullable ByteString sentIn, Window.Flight flight) {
	}

	SinkConnection(Channel channel, Session session, EventLoop loop, Window window, SinkClientOptions options,
			DeliveryListener listener, RandomGenerator random, Dictionaries dictionaries, Progress progress,
			WireSessions sessions) {
		this.channel = channel;
		this.session = session;
		this.loop = loop;
		this.window = window;
		this.options = options;
		this.listener = listener;
		this.random = random;
		this.dictionaries = dictionaries;
		this.progress = progress;
		this.sessions = sessions;
	}

	/** Whether it can send a message now. */
	boolean canSend() {
		return this.state != State.BLOCKED && this.stream != null && this.stream.ready();
	}

	int inFlight() {
		return this.inFlight.size();
	}

	boolean has(Id id) {
		return this.inFlight.containsKey(id);
	}

	int limit() {
		return this.limit;
	}

	boolean connected() {
		return this.stream != null && this.stream.info;
	}

	/** The largest payload that its sink accepts, in bytes. */
	int maxMessageBytes() {
		return Objects.requireNonNull(this.stream).maxMessageBytes;
	}

	/** Sends a message. Call it only if it {@linkplain #canSend can send one}. */
	void send(Id id, Entry entry) {
		this.next = entry;
		fire(Event.SEND, this.inFlight.size() + 1, id, null);
	}

	/** Sends the messages of an incomplete batch: no more follow for now. */
	void endBatch() {
		Stream open = this.stream;
		if (open != null && open.ready()) {
			open.endBatch(this.state == State.BLOCKED);
		}
	}

	/** Ends the stream without waiting, and opens no other. */
	void close() {
		this.closed = true;
		Stream open = this.stream;
		if (open != null) {
			// The end of the call is ignored.
			this.stream = null;
			open.cancel("The client is closed", null);
			open.closed();
		}
	}

	void connect() {
		if (!this.closed) {
			if (this.channel instanceof ManagedChannel managed) {
				// Otherwise gRPC, which doubles its pause up to two minutes, would notice
				// long afterwards that the sink is there again.
				managed.resetConnectBackoff();
			}
			Stream opened = new Stream();
			this.stream = opened;
			String known = this.dictionaries.header();
			Channel withHeader = this.channel;
			if (known != null) {
				Metadata headers = new Metadata();
				headers.put(Dictionaries.HEADER, known);
				withHeader = ClientInterceptors.intercept(this.channel,
						MetadataUtils.newAttachHeadersInterceptor(headers));
			}
			// The stream hands each callback to the event loop, so any thread may call
			// it.
			DataSinkGrpc.newStub(withHeader)
				.withExecutor(Runnable::run)
				.withOnReadyThreshold(TRANSPORT_BYTES)
				.send(opened);
			this.session.schedule(this.options.ackTimeout(), () -> {
				if (opened == this.stream && !opened.info) {
					leave(opened, "The sink has not answered for %s".formatted(this.options.ackTimeout()));
				}
			});
		}
	}

	/** Leaves its stream; messages in flight are sent again. */
	private void leave(Stream open, String reason) {
		open.cancel(reason, null);
		ended(open, Status.DEADLINE_EXCEEDED.withDescription(reason));
	}

	/** Leaves its stream, if it has one, for a failure of the client itself. */
	void fail(Throwable cause) {
		Stream open = this.stream;
		if (open != null) {
			open.cancel("The client has failed", cause);
			forget(open, Status.CANCELLED.withCause(cause));
		}
	}

	/**
	 * The only place where the state changes.
	 * @param id id of the message that the event is about, if any
	 * @param done the message that the sink acknowledged or refused; null if it was not
	 * in flight
	 */
	private void fire(Event event, int inFlightAfter, @Nullable Id id, @Nullable InFlight done) {
		Step step = ClientMachine.step(this.state, event, Fill.of(inFlightAfter, this.limit));
		this.state = step.next();
		for (Effect effect : step.effects()) {
			switch (effect) {
				case TRANSMIT -> transmit(Objects.requireNonNull(id), Objects.requireNonNull(this.next));
				case SETTLE -> this.session.settle(Objects.requireNonNull(id).bytes(),
						(done != null) ? (Long) done.number() : null);
				case RESCHEDULE -> {
					Id late = Objects.requireNonNull(id);
					this.session.resend(late.bytes(), Objects.requireNonNull(this.inFlight.remove(late)).number());
				}
				case RESCHEDULE_ALL -> {
					this.inFlight
						.forEach((each, unacknowledged) -> this.session.resend(each.bytes(), unacknowledged.number()));
					this.inFlight.clear();
				}
			}
		}
	}

	private void transmit(Id id, Entry entry) {
		Stream open = Objects.requireNonNull(this.stream);
		if (open.idle) {
			open.idle = false;
			open.silentSince = this.loop.nanoTime();
		}
		boolean scarce = !this.session.hasMore();
		Window.Flight flight = this.window.sent(this.loop.nanoTime(), this.inFlight.size(), scarce);
		ByteString sentIn = open.sequences ? this.sessions.id(entry.session()) : null;
		this.inFlight.put(id, new InFlight(entry.number(), entry.session(), sentIn, flight));
		Objects.requireNonNull(open.writer).write(entry);
		runTimer();
	}

	private void received(Stream from, Response response) {
		if (from != this.stream) {
			return;
		}
		if (response.getVersion() != RequestWriter.VERSION) {
			logger.error("The sink sends responses of version {}, but this client reads version {}: update the client; "
					+ "no message is lost meanwhile", response.getVersion(), RequestWriter.VERSION);
			this.pause = MAX_PAUSE;
			from.cancel("Version " + response.getVersion() + " is not known", null);
			return;
		}
		switch (response.getResponseCase()) {
			case ACK -> acknowledged(response.getAck().getMessageIdsList());
			case INFO -> info(from, response.getInfo());
			case RESPONSE_NOT_SET -> {
				// A kind of response from a newer server, which this client does not
				// need.
			}
		}
		this.session.pump();
		from.call().request(1);
	}

	private void acknowledged(List<ByteString> ids) {
		long now = this.loop.nanoTime();
		for (ByteString bytes : ids) {
			Id id = Id.of(bytes);
			InFlight unacknowledged = this.inFlight.remove(id);
			if (unacknowledged != null) {
				this.window.acked(unacknowledged.flight(), now, ids.size());
			}
			done(id, unacknowledged, now);
		}
		this.session.flushSettled();
		resize();
		this.listener.acknowledged(ids);
	}

	/**
	 * A stream has proved itself once it is done with a message; one that has only opened
	 * may fail again.
	 */
	private void done(Id id, @Nullable InFlight done, long now) {
		this.pause = MIN_PAUSE;
		fire(Event.ACK, this.inFlight.size(), id, done);
		Stream open = this.stream;
		if (open != null) {
			open.silentSince = now;
			open.idle = this.inFlight.isEmpty();
		}
	}

	private void info(Stream from, ServiceMessage info) {
		if (info.getMinVersion() > RequestWriter.SEQUENCES_VERSION) {
			logger
				.error("The sink accepts version {} and newer, but this client sends {} and older: update the client; "
						+ "no message is lost meanwhile", info.getMinVersion(), RequestWriter.SEQUENCES_VERSION);
			this.pause = MAX_PAUSE;
			from.cancel("Version " + info.getMinVersion() + " is not known", null);
			return;
		}
		from.opened(info);
		this.progress.dropped += Math.max(0, info.getDropped() - from.dropped);
		from.dropped = info.getDropped();
		info.getRefusalsList().forEach((refusal) -> {
			Id id = Id.of(refusal.getMessageId());
			if (forgotten(id, refusal.getCode())) {
				return;
			}
			done(id, this.inFlight.remove(id), this.loop.nanoTime());
			this.session.refuseSettled(refusal.getCode(), refusal.getDescription());
		});
		resize();
	}

	/** Sends a message again in a new session if the sink has forgotten its session. */
	private boolean forgotten(Id id, int code) {
		InFlight unacknowledged = this.inFlight.get(id);
		if (code != Status.Code.FAILED_PRECONDITION.value() || unacknowledged == null
				|| unacknowledged.sentIn() == null) {
			return false;
		}
		this.sessions.renew(unacknowledged.session(), unacknowledged.sentIn());
		fire(Event.TIMEOUT, this.inFlight.size() - 1, id, null);
		return true;
	}

	private void resize() {
		Stream open = this.stream;
		int now = (open != null) ? Math.min(this.window.size(), open.limit) : this.window.size();
		if (now != this.limit) {
			this.limit = now;
			fire(Event.WINDOW, this.inFlight.size(), null, null);
		}
	}

	private void ended(Stream from, Status status) {
		if (from == this.stream) {
			forget(from, status);
			this.session.pump();
		}
	}

	private void forget(Stream from, Status status) {
		this.stream = null;
		from.closed();
		fire(Event.DISCONNECTED, 0, null, null);
		if (!this.closed) {
			this.progress.disconnections++;
			logger.warn("The stream to the sink {} has ended: {}; trying again in about {} ms",
					this.channel.authority(), inOneLine(status), this.pause.toMillis());
			this.session.schedule(this.pause.multipliedBy(50 + this.random.nextInt(101)).dividedBy(100), this::connect);
			Duration doubled = this.pause.multipliedBy(2);
			this.pause = (doubled.compareTo(MAX_PAUSE) < 0) ? doubled : MAX_PAUSE;
		}
	}

	/**
	 * {@code Status.toString} would print the stack trace of its cause at each attempt.
	 */
	private static String inOneLine(Status status) {
		return (status.getCause() != null) ? status.getCode() + ": " + status.getCause() : status.toString();
	}

	private void runTimer() {
		if (!this.timerRuns) {
			this.timerRuns = true;
			this.session.schedule(this.options.ackTimeout(), this::timer);
		}
	}

	/** One timer for all messages: the one sent first times out first. */
	private void timer() {
		this.timerRuns = false;
		long now = this.loop.nanoTime();
		long timeout = this.options.ackTimeout().toNanos();
		Stream open = this.stream;
		boolean silent = false;
		while (!this.inFlight.isEmpty()) {
			Map.Entry<Id, InFlight> first = this.inFlight.entrySet().iterator().next();
			long left = first.getValue().flight().sentAt() + timeout - now;
			if (left > 0) {
				this.timerRuns = true;
				this.session.schedule(Duration.ofNanos(left), this::timer);
				break;
			}
			this.progress.timeouts++;
			this.window.lost(first.getValue().flight(), now);
			fire(Event.TIMEOUT, this.inFlight.size() - 1, first.getKey(), null);
			silent |= open != null && now - open.silentSince >= SILENT_TIMEOUTS * timeout;
		}
		if (silent && open != null) {
			leave(open, "The sink has acknowledged nothing for %d times %s".formatted(SILENT_TIMEOUTS,
					this.options.ackTimeout()));
			return;
		}
		resize();
		this.session.pump();
	}

	/** One call of {@code DataSink.Send}. */
	private final class Stream implements ClientResponseObserver<Request, Response> {

		private @Nullable ClientCallStreamObserver<Request> call;

		private boolean info;

		/** Whether the sink supports sequences. */
		private boolean sequences;

		private int limit = 1;

		private int maxMessageBytes = Integer.MAX_VALUE;

		private long dropped;

		/**
		 * Time of the last acknowledgement, or of the first message sent after a rest.
		 */
		private long silentSince;

		/** Whether all its messages were answered, none by a timeout. */
		private boolean idle = true;

		/** Null until the sink's first {@code ServiceMessage}. */
		private @Nullable RequestWriter writer;

		@Override
		public void beforeStart(ClientCallStreamObserver<Request> call) {
			this.call = call;
			call.disableAutoRequestWithInitial(1);
			call.setOnReadyHandler(SinkConnection.this.session::appended);
		}

		ClientCallStreamObserver<Request> call() {
			if (this.call == null) {
				throw new IllegalStateException("Not started");
			}
			return this.call;
		}

		/** Cancels the call, if it was started. */
		void cancel(String reason, @Nullable Throwable cause) {
			if (this.call != null) {
				this.call.cancel(reason, cause);
			}
		}

		/**
		 * Whether the sink has sent its {@code ServiceMessage} and the transport is
		 * ready.
		 */
		boolean ready() {
			return this.info && call().isReady();
		}

		void opened(ServiceMessage message) {
			int advised = (message.getWindow() > 0) ? message.getWindow() : Integer.MAX_VALUE;
			this.limit = Math.max(1, Math.min(advised, message.getQueueCapacity()));
			this.maxMessageBytes = (message.getMaxMessageBytes() > 0) ? message.getMaxMessageBytes()
					: Integer.MAX_VALUE;
			if (!this.info) {
				this.silentSince = SinkConnection.this.loop.nanoTime();
				this.sequences = message.getMaxVersion() >= RequestWriter.SEQUENCES_VERSION;
				this.writer = writer(message);
			}
			this.info = true;
		}

		private RequestWriter writer(ServiceMessage message) {
			SinkClientOptions options = SinkConnection.this.options;
			Compression compression = null;
			if (message.getZstd() && options.zstdLevel() > 0) {
				compression = new Compression(options.zstdLevel(), (message.hasDictionary() && options.dictionary())
						? SinkConnection.this.dictionaries.of(message.getDictionary()) : null);
			}
			int bytes = Math.min(options.batchBytes(), this.maxMessageBytes);
			return new RequestWriter(message.getBatchMessages(), bytes, options.linger(), compression,
					this.sequences ? SinkConnection.this.sessions : null, this::write,
					SinkConnection.this.session::schedule);
		}

		private void write(Request request) {
			SinkConnection.this.progress.sentBytes(request.getSerializedSize());
			call().onNext(request);
		}

		/** While the transport is not ready, more messages may join the request. */
		void endBatch(boolean blocked) {
			Objects.requireNonNull(this.writer).endBatch(blocked);
		}

		void closed() {
			if (this.writer != null) {
				this.writer.close();
			}
		}

		@Override
		public void onNext(Response response) {
			SinkConnection.this.session.execute(() -> received(this, response));
		}

		@Override
		public void onError(Throwable cause) {
			SinkConnection.this.session.execute(() -> ended(this, Status.fromThrowable(cause)));
		}

		@Override
		public void onCompleted() {
			SinkConnection.this.session.execute(() -> ended(this, Status.OK));
		}

	}

}
