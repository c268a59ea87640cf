package dev.sluice.sink.client;

import java.util.Objects;
import java.util.regex.Pattern;

import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.client.spool.Spool.Entry;
import dev.sluice.sink.client.wire.RequestWriter;
import dev.sluice.sink.client.wire.WireSessions;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code DataSink.Send}. It respects gRPC's flow control: it is not ready
 * while the transport is not, and requests responses one at a time. Confined to the
 * client's event loop, to which it hands gRPC's callbacks.
 */
final class SinkCall implements ClientResponseObserver<Request, Response> {

	/** Bytes that the transport buffers while it is ready: several messages of 20 KB. */
	private static final int TRANSPORT_BYTES = 256 * 1024;

	/** Maximum length of what a sink says, in characters. */
	private static final int MAX_LINE = 1_000;

	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Z}]+");

	private final SinkConnection connection;

	private final Session session;

	/** Set when the call starts. */
	private @Nullable ClientCallStreamObserver<Request> call;

	/** Null until the sink's first {@code ServiceMessage}. */
	private @Nullable RequestWriter writer;

	private int capacity = 1;

	private int maxMessageBytes = Integer.MAX_VALUE;

	private long dropped;

	private SinkCall(SinkConnection connection, Session session) {
		this.connection = connection;
		this.session = session;
	}

	/**
	 * Starts a call. Nothing can be sent before the sink's first {@code ServiceMessage}.
	 */
	static SinkCall start(Channel channel, SinkConnection connection, Session session) {
		SinkCall started = new SinkCall(connection, session);
		// It hands each callback to the event loop, so any thread may call it.
		DataSinkGrpc.newStub(channel).withExecutor(Runnable::run).withOnReadyThreshold(TRANSPORT_BYTES).send(started);
		return started;
	}

	@Override
	public void beforeStart(ClientCallStreamObserver<Request> call) {
		this.call = call;
		call.disableAutoRequestWithInitial(1);
		call.setOnReadyHandler(this.session::appended);
	}

	@Override
	public void onNext(Response response) {
		this.session.execute(() -> this.connection.received(this, response));
	}

	@Override
	public void onError(Throwable cause) {
		this.session.execute(() -> this.connection.ended(this, Status.fromThrowable(cause)));
	}

	@Override
	public void onCompleted() {
		this.session.execute(() -> this.connection.ended(this, Status.OK));
	}

	/**
	 * Takes what the sink says about itself; from the first time on, messages can be
	 * sent.
	 * @param progress counts the bytes sent, and the messages that the sink has dropped
	 */
	void informed(ServiceMessage info, SinkClientOptions options, WireSessions sessions, Progress progress) {
		int advised = (info.getWindow() > 0) ? info.getWindow() : Integer.MAX_VALUE;
		this.capacity = Math.max(1, Math.min(advised, info.getQueueCapacity()));
		this.maxMessageBytes = (info.getMaxMessageBytes() > 0) ? info.getMaxMessageBytes() : Integer.MAX_VALUE;
		if (this.writer == null) {
			this.writer = new RequestWriter(info, options.zstdLevel(), options.dictionary(), sessions, (request) -> {
				progress.sentBytes.add(request.getSerializedSize());
				call().onNext(request);
			});
		}
		progress.dropped.add(Math.max(0, info.getDropped() - this.dropped));
		this.dropped = info.getDropped();
	}

	/**
	 * {@code Status.toString} would print the stack trace of its cause at each attempt.
	 */
	static String inOneLine(Status status) {
		return inOneLine((status.getCause() != null) ? status.getCode() + ": " + status.getCause() : status.toString());
	}

	/** What a sink says: it may be megabytes, with control characters for a terminal. */
	static String inOneLine(String text) {
		return UNPRINTABLE.matcher(text.substring(0, Math.min(text.length(), MAX_LINE))).replaceAll(" ");
	}

	/** Whether the sink has sent its first {@code ServiceMessage}. */
	boolean isOpen() {
		return this.writer != null;
	}

	/** Whether messages can be sent now. */
	boolean isReady() {
		return isOpen() && call().isReady();
	}

	/** Maximum number of messages in flight, at least 1. */
	int capacity() {
		return this.capacity;
	}

	/** The largest payload that the sink accepts, in bytes. */
	int maxMessageBytes() {
		return this.maxMessageBytes;
	}

	/**
	 * Sends a message, maybe together with later ones. Call it only while it is ready.
	 */
	void write(Entry entry) {
		Objects.requireNonNull(this.writer).write(entry);
	}

	/**
	 * Reports that no more messages follow for now. While the transport is not ready,
	 * more messages may join the request.
	 */
	void endBatch() {
		if (isReady()) {
			Objects.requireNonNull(this.writer).flush();
		}
	}

	/** Allows the sink to send its next response. */
	void requestNext() {
		call().request(1);
	}

	/**
	 * Cancels the call. The listener is told, and {@link #close} is still to be called.
	 */
	void cancel(String reason, @Nullable Throwable cause) {
		call().cancel(reason, cause);
	}

	/** Frees memory, after the end of the call. */
	void close() {
		if (this.writer != null) {
			this.writer.close();
		}
	}

	private ClientCallStreamObserver<Request> call() {
		return Objects.requireNonNull(this.call, "Not started");
	}

}
