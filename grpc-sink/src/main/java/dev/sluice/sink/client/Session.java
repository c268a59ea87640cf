package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.client.ClientMachine.Effect;
import dev.sluice.sink.client.ClientMachine.Event;
import dev.sluice.sink.client.ClientMachine.Fill;
import dev.sluice.sink.client.ClientMachine.State;
import dev.sluice.sink.client.ClientMachine.Step;
import dev.sluice.sink.client.Spool.Entry;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves what is in the spool to the sink: does what the {@link ClientMachine} says, and
 * opens a stream again whenever one has ended. A message is in flight, is to be sent
 * again, or waits in the spool behind all that were ever sent.
 * <p>
 * Everything happens on the event loop, but for {@link #appended} and the snapshot.
 * Payloads in flight are not kept: what has to be sent again is read from the spool
 * again. gRPC's flow control is respected: nothing is sent while the transport is not
 * ready, and responses are asked for one at a time. What fails on the loop, a listener's
 * exception too, ends the stream, and the next one begins with what the spool has.
 */
final class Session {

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	/** What the transport takes before it is not ready: several messages of 20 KB. */
	private static final int TRANSPORT_BYTES = 256 * 1024;

	private static final Duration LEAST_PAUSE = Duration.ofMillis(50);

	private static final Duration GREATEST_PAUSE = Duration.ofSeconds(5);

	/** A sink that acknowledges nothing is left after so many {@code ackTimeout}s. */
	private static final int SILENT_TIMEOUTS = 3;

	private final Channel channel;

	private final Spool spool;

	private final EventLoop loop;

	private final Window window;

	private final SinkClientOptions options;

	private final DeliveryListener listener;

	private final RandomGenerator random;

	private final Dictionaries dictionaries;

	private final AtomicBoolean pumpScheduled = new AtomicBoolean();

	/** By id, the one sent first is first. */
	private final Map<ByteString, InFlight> inFlight = new LinkedHashMap<>();

	private final Resends again = new Resends();

	/** Messages that are in flight under an id that another one brought. */
	private final Map<ByteString, List<Long>> repeats = new HashMap<>();

	/** Done, and the spool is not told yet. */
	private final List<Long> settled = new ArrayList<>();

	private State state = State.IDLE;

	/** Messages that may be in flight. */
	private int limit = 1;

	/** What is being sent. */
	private @Nullable Entry next;

	/** The number of the last message that was ever sent. */
	private long last = -1;

	private @Nullable Stream stream;

	private Duration pause = LEAST_PAUSE;

	private boolean timerRuns;

	private boolean closed;

	private final Progress progress = new Progress();

	private record InFlight(long number, Window.Flight flight) {
	}

	Session(Channel channel, Spool spool, EventLoop loop, Window window, SinkClientOptions options,
			DeliveryListener listener, RandomGenerator random) {
		this.channel = channel;
		this.spool = spool;
		this.loop = loop;
		this.window = window;
		this.options = options;
		this.listener = listener;
		this.random = random;
		this.dictionaries = new Dictionaries(options.spool());
	}

	void open() {
		execute(this::connect);
	}

	private void execute(Runnable task) {
		this.loop.execute(() -> run(task));
	}

	private void schedule(Duration delay, Runnable task) {
		this.loop.schedule(delay, () -> run(task));
	}

	/** Without a stream there is nothing to mend: the next one is on its way. */
	private void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("The client has failed; it opens its stream anew", ex);
			Stream open = this.stream;
			if (open != null) {
				open.cancel("The client has failed", ex);
				ended(open, Status.CANCELLED.withCause(ex));
				beginAnew();
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

	/** Ends the stream, without waiting for anything. */
	void close() {
		execute(() -> {
			this.closed = true;
			Stream open = this.stream;
			if (open != null) {
				// The loop will not hear of the call's end.
				this.stream = null;
				open.cancel("The client is closed", null);
				open.closed();
			}
		});
	}

	private void connect() {
		if (!this.closed) {
			Stream opened = new Stream();
			this.stream = opened;
			String known = this.dictionaries.header();
			Channel told = this.channel;
			if (known != null) {
				Metadata headers = new Metadata();
				headers.put(Dictionaries.HEADER, known);
				told = ClientInterceptors.intercept(this.channel, MetadataUtils.newAttachHeadersInterceptor(headers));
			}
			// What a stream is told goes to the event loop, so any thread may tell it.
			DataSinkGrpc.newStub(told).withExecutor(Runnable::run).withOnReadyThreshold(TRANSPORT_BYTES).send(opened);
			schedule(this.options.ackTimeout(), () -> {
				if (opened == this.stream && !opened.info) {
					leave(opened, "The sink has said nothing for %s".formatted(this.options.ackTimeout()));
				}
			});
		}
	}

	/** What was in flight is sent again on the next stream. */
	private void leave(Stream open, String because) {
		open.cancel(because, null);
		ended(open, Status.DEADLINE_EXCEEDED.withDescription(because));
	}

	/**
	 * Sends while there is anything to send, room for it, and a transport that takes it.
	 */
	private void pump() {
		Stream open = this.stream;
		while (open != null && open == this.stream && open.ready()) {
			if (this.state == State.BLOCKED) {
				fire(Event.SEND, this.inFlight.size(), null);
				break;
			}
			Entry next = waiting();
			if (next == null) {
				break;
			}
			if (next.payload().length > open.maxMessageBytes) {
				refuseTooLarge(next, open.maxMessageBytes);
			}
			else if (this.inFlight.containsKey(next.id())) {
				// Appended twice: the one acknowledgement is for both.
				this.repeats.computeIfAbsent(next.id(), (_) -> new ArrayList<>()).add(next.number());
				this.last = Math.max(this.last, next.number());
			}
			else {
				this.next = next;
				fire(Event.SEND, this.inFlight.size() + 1, next.id());
			}
		}
		if (open != null && open == this.stream) {
			open.rest(this.state == State.BLOCKED);
		}
		show();
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

	/** The only place where the state changes. */
	private void fire(Event event, int inFlightAfter, @Nullable ByteString id) {
		Step step = ClientMachine.step(this.state, event, Fill.of(inFlightAfter, this.limit));
		this.state = step.next();
		for (Effect effect : step.effects()) {
			switch (effect) {
				case TRANSMIT -> transmit(Objects.requireNonNull(this.next));
				case SETTLE -> settle(Objects.requireNonNull(id));
				case RESCHEDULE -> {
					ByteString late = Objects.requireNonNull(id);
					this.again.add(late, Objects.requireNonNull(this.inFlight.remove(late)).number());
				}
				case RESCHEDULE_ALL -> {
					this.inFlight.forEach((each, flying) -> this.again.add(each, flying.number()));
					this.inFlight.clear();
				}
				case POSTPONE, SEND_POSTPONED -> {
					// It is in the spool; whoever fires sends what it can afterwards.
				}
			}
		}
	}

	private void transmit(Entry entry) {
		if (!this.again.remove(entry.number())) {
			this.last = entry.number();
			if (this.inFlight.isEmpty() && this.again.isEmpty()) {
				Objects.requireNonNull(this.stream).silentSince = this.loop.nanoTime();
			}
		}
		boolean scarce = this.again.isEmpty() && !this.spool.hasNext(this.last);
		Window.Flight flight = this.window.sent(this.loop.nanoTime(), this.inFlight.size(), scarce);
		this.inFlight.put(entry.id(), new InFlight(entry.number(), flight));
		this.progress.sent(entry.number());
		Objects.requireNonNull(Objects.requireNonNull(this.stream).writer).write(entry);
		runTimer();
	}

	private void settle(ByteString id) {
		InFlight flying = this.inFlight.remove(id);
		Long number = (flying != null) ? Long.valueOf(flying.number()) : this.again.remove(id);
		if (number != null) {
			this.settled.add(number);
		}
		List<Long> others = this.repeats.remove(id);
		if (others != null) {
			this.settled.addAll(others);
		}
	}

	private void received(Stream from, Response response) {
		if (from != this.stream) {
			return;
		}
		if (response.getVersion() != RequestWriter.VERSION) {
			logger.error("The sink speaks version {} and this client {}: update the client; nothing is lost meanwhile",
					response.getVersion(), RequestWriter.VERSION);
			this.pause = GREATEST_PAUSE;
			from.cancel("Version " + response.getVersion() + " is not known", null);
			return;
		}
		switch (response.getResponseCase()) {
			case ACK -> acknowledged(response.getAck().getMessageIdsList());
			case INFO -> told(from, response.getInfo());
			case RESPONSE_NOT_SET -> {
				// Of a kind that a later server sends: nothing this client needs.
			}
		}
		pump();
		from.call().request(1);
	}

	private void acknowledged(List<ByteString> ids) {
		long now = this.loop.nanoTime();
		for (ByteString id : ids) {
			InFlight flying = this.inFlight.get(id);
			if (flying != null) {
				this.window.acked(flying.flight(), now, ids.size());
			}
			done(id);
		}
		this.spool.settle(this.settled);
		this.progress.acknowledged(this.settled.size());
		this.settled.clear();
		resize();
		this.listener.acknowledged(ids);
	}

	/**
	 * One message on is what a stream is worth: one that only says hello may fail again.
	 */
	private void done(ByteString id) {
		this.pause = LEAST_PAUSE;
		Stream open = this.stream;
		if (open != null) {
			open.silentSince = this.loop.nanoTime();
		}
		fire(Event.ACK, this.inFlight.size() - (this.inFlight.containsKey(id) ? 1 : 0), id);
	}

	private void told(Stream from, ServiceMessage info) {
		from.opened(info);
		this.progress.dropped += Math.max(0, info.getDropped() - from.dropped);
		from.dropped = info.getDropped();
		info.getRefusalsList().forEach((refusal) -> {
			done(refusal.getMessageId());
			this.settled.forEach((number) -> refuse(number, refusal.getCode(), refusal.getDescription()));
			this.settled.clear();
			this.listener.refused(refusal.getMessageId(), refusal.getCode(), refusal.getDescription());
		});
		resize();
	}

	private void resize() {
		Stream open = this.stream;
		int now = (open != null) ? Math.min(this.window.size(), open.limit) : this.window.size();
		if (now != this.limit) {
			this.limit = now;
			fire(Event.WINDOW, this.inFlight.size(), null);
		}
	}

	private void ended(Stream from, Status status) {
		if (from != this.stream) {
			return;
		}
		this.stream = null;
		from.closed();
		fire(Event.DISCONNECTED, 0, null);
		if (!this.closed) {
			this.progress.disconnections++;
			logger.warn("The stream to the sink has ended: {}; trying again in about {} ms", inOneLine(status),
					this.pause.toMillis());
			schedule(this.pause.multipliedBy(50 + this.random.nextInt(101)).dividedBy(100), this::connect);
			Duration doubled = this.pause.multipliedBy(2);
			this.pause = (doubled.compareTo(GREATEST_PAUSE) < 0) ? doubled : GREATEST_PAUSE;
		}
		show();
	}

	/** A status prints the stack trace of its cause, once for each attempt. */
	private static String inOneLine(Status status) {
		return (status.getCause() != null) ? status.getCode() + ": " + status.getCause() : status.toString();
	}

	private void runTimer() {
		if (!this.timerRuns) {
			this.timerRuns = true;
			schedule(this.options.ackTimeout(), this::timer);
		}
	}

	/** One timer for all: the one sent first is the first whose time is up. */
	private void timer() {
		this.timerRuns = false;
		long now = this.loop.nanoTime();
		long timeout = this.options.ackTimeout().toNanos();
		Stream open = this.stream;
		boolean silent = false;
		while (!this.inFlight.isEmpty()) {
			Map.Entry<ByteString, InFlight> first = this.inFlight.entrySet().iterator().next();
			long left = first.getValue().flight().sentAt() + timeout - now;
			if (left > 0) {
				this.timerRuns = true;
				schedule(Duration.ofNanos(left), this::timer);
				break;
			}
			this.progress.timeouts++;
			this.window.lost(first.getValue().flight(), now);
			fire(Event.TIMEOUT, this.inFlight.size() - 1, first.getKey());
			silent |= open != null && now - open.silentSince >= SILENT_TIMEOUTS * timeout;
		}
		if (silent && open != null) {
			leave(open, "The sink has acknowledged nothing for %d times %s".formatted(SILENT_TIMEOUTS,
					this.options.ackTimeout()));
			return;
		}
		resize();
		pump();
	}

	private void show() {
		this.progress.show(this.stream != null && this.stream.info, this.inFlight.size(), this.limit);
	}

	/** One call. */
	private final class Stream implements ClientResponseObserver<Request, Response> {

		private @Nullable ClientCallStreamObserver<Request> call;

		private boolean info;

		private int limit = 1;

		private int maxMessageBytes = Integer.MAX_VALUE;

		private long dropped;

		/** When it last acknowledged something, or was sent something after a rest. */
		private long silentSince;

		/** Null while the sink has not said what it takes. */
		private @Nullable RequestWriter writer;

		@Override
		public void beforeStart(ClientCallStreamObserver<Request> call) {
			this.call = call;
			call.disableAutoRequestWithInitial(1);
			call.setOnReadyHandler(Session.this::appended);
		}

		ClientCallStreamObserver<Request> call() {
			if (this.call == null) {
				throw new IllegalStateException("Not started");
			}
			return this.call;
		}

		/** Also one that could not be started. */
		void cancel(String because, @Nullable Throwable cause) {
			if (this.call != null) {
				this.call.cancel(because, cause);
			}
		}

		/** Whether the sink has said what it takes, and the transport takes more. */
		boolean ready() {
			return this.info && call().isReady();
		}

		void opened(ServiceMessage told) {
			int advised = (told.getWindow() > 0) ? told.getWindow() : Integer.MAX_VALUE;
			this.limit = Math.max(1, Math.min(advised, told.getQueueCapacity()));
			this.maxMessageBytes = (told.getMaxMessageBytes() > 0) ? told.getMaxMessageBytes() : Integer.MAX_VALUE;
			if (!this.info) {
				this.silentSince = Session.this.loop.nanoTime();
				this.writer = writer(told);
			}
			this.info = true;
		}

		private RequestWriter writer(ServiceMessage told) {
			SinkClientOptions options = Session.this.options;
			Compression compression = null;
			if (told.getZstd() && options.zstdLevel() > 0) {
				compression = new Compression(options.zstdLevel(), (told.hasDictionary() && options.dictionary())
						? Session.this.dictionaries.of(told.getDictionary()) : null);
			}
			int bytes = Math.min(options.batchBytes(), this.maxMessageBytes);
			return new RequestWriter((bytes > 0) ? told.getBatchMessages() : 1, bytes, options.linger(), compression,
					this::write, Session.this::schedule);
		}

		private void write(Request request) {
			Session.this.progress.sentBytes(request.getSerializedSize());
			call().onNext(request);
		}

		/** While the transport takes nothing, more messages may join those at hand. */
		void rest(boolean blocked) {
			if (this.writer != null && call().isReady()) {
				this.writer.rest(blocked);
			}
		}

		void closed() {
			if (this.writer != null) {
				this.writer.close();
			}
		}

		@Override
		public void onNext(Response response) {
			execute(() -> received(this, response));
		}

		@Override
		public void onError(Throwable cause) {
			execute(() -> ended(this, Status.fromThrowable(cause)));
		}

		@Override
		public void onCompleted() {
			execute(() -> ended(this, Status.OK));
		}

	}

}
