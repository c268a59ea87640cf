package dev.sluice.sink.client.wire;

import com.github.luben.zstd.Zstd;
import java.util.Objects;
import java.util.concurrent.Executor;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.client.spool.Spool.Entry;
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
public final class SinkCall implements ClientResponseObserver<Request, Response> {

	/** The version of responses, and of requests without sequences. */
	public static final int VERSION = 1;

	/** The version of requests with sequences. */
	public static final int SEQUENCES_VERSION = 2;

	/** Bytes that the transport buffers while it is ready: several messages of 20 KB. */
	private static final int TRANSPORT_BYTES = 256 * 1024;

	private final Listener listener;

	private final Executor loop;

	/** Set when the call starts. */
	private @Nullable ClientCallStreamObserver<Request> call;

	/** Null until the sink's first {@code ServiceMessage}. */
	private @Nullable RequestWriter writer;

	private int capacity = 1;

	private int maxMessageBytes = Integer.MAX_VALUE;

	private long dropped;

	/** Receives what happens to calls, on the event loop. */
	public interface Listener {

		/** The transport is ready again. Any thread may call it. */
		void ready();

		/** A request of this many bytes was passed to gRPC. */
		void sent(int bytes);

		/** The next response comes after {@link #requestNext}. */
		void received(SinkCall from, Response response);

		void ended(SinkCall call, Status status);

	}

	private SinkCall(Listener listener, Executor loop) {
		this.listener = listener;
		this.loop = loop;
	}

	/**
	 * Starts a call. Nothing can be sent before the sink's first {@code ServiceMessage}.
	 * @param loop the event loop
	 */
	public static SinkCall start(Channel channel, Listener listener, Executor loop) {
		SinkCall started = new SinkCall(listener, loop);
		// It hands each callback to the event loop, so any thread may call it.
		DataSinkGrpc.newStub(channel).withExecutor(Runnable::run).withOnReadyThreshold(TRANSPORT_BYTES).send(started);
		return started;
	}

	@Override
	public void beforeStart(ClientCallStreamObserver<Request> call) {
		this.call = call;
		call.disableAutoRequestWithInitial(1);
		call.setOnReadyHandler(this.listener::ready);
	}

	@Override
	public void onNext(Response response) {
		this.loop.execute(() -> this.listener.received(this, response));
	}

	@Override
	public void onError(Throwable cause) {
		this.loop.execute(() -> this.listener.ended(this, Status.fromThrowable(cause)));
	}

	@Override
	public void onCompleted() {
		this.loop.execute(() -> this.listener.ended(this, Status.OK));
	}

	/**
	 * Takes what the sink says about itself; from the first time on, messages can be
	 * sent.
	 * @return messages that the sink has dropped since the last time
	 */
	public long informed(ServiceMessage info, RequestOptions options, WireSessions sessions) {
		int advised = (info.getWindow() > 0) ? info.getWindow() : Integer.MAX_VALUE;
		this.capacity = Math.max(1, Math.min(advised, info.getQueueCapacity()));
		this.maxMessageBytes = (info.getMaxMessageBytes() > 0) ? info.getMaxMessageBytes() : Integer.MAX_VALUE;
		if (this.writer == null) {
			Compression compression = null;
			if (info.getZstd() && options.zstdLevel() > 0 && Compression.AVAILABLE) {
				compression = new Compression(options.zstdLevel(), options.dictionary() ? dictionary(info) : null);
			}
			this.writer = new RequestWriter(info.getBatchMessages(),
					Math.min(options.batchBytes(), this.maxMessageBytes), compression,
					(info.getMaxVersion() >= SEQUENCES_VERSION) ? sessions : null, this::send);
		}
		long more = Math.max(0, info.getDropped() - this.dropped);
		this.dropped = info.getDropped();
		return more;
	}

	/** The sink's dictionary; null if it has none, or one that has another id. */
	private static byte @Nullable [] dictionary(ServiceMessage info) {
		byte[] content = info.getDictionary().getContent().toByteArray();
		return (info.hasDictionary() && (int) Zstd.getDictIdFromDict(content) == info.getDictionary().getId()) ? content
				: null;
	}

	private void send(Request request) {
		this.listener.sent(request.getSerializedSize());
		call().onNext(request);
	}

	/**
	 * {@code Status.toString} would print the stack trace of its cause at each attempt.
	 */
	public static String inOneLine(Status status) {
		return (status.getCause() != null) ? status.getCode() + ": " + status.getCause() : status.toString();
	}

	/** Whether the sink has sent its first {@code ServiceMessage}. */
	public boolean isOpen() {
		return this.writer != null;
	}

	/** Whether messages can be sent now. */
	public boolean isReady() {
		return isOpen() && call().isReady();
	}

	/** Maximum number of messages in flight, at least 1. */
	public int capacity() {
		return this.capacity;
	}

	/** The largest payload that the sink accepts, in bytes. */
	public int maxMessageBytes() {
		return this.maxMessageBytes;
	}

	/**
	 * Sends a message, maybe together with later ones. Call it only while it is ready.
	 */
	public void write(Entry entry) {
		Objects.requireNonNull(this.writer).write(entry);
	}

	/**
	 * The session id that the sink gets with a message; null if it does not support
	 * sequences.
	 */
	public @Nullable ByteString sessionOf(Entry entry) {
		return Objects.requireNonNull(this.writer).sessionOf(entry);
	}

	/**
	 * Reports that no more messages follow for now. While the transport is not ready,
	 * more messages may join the request.
	 */
	public void endBatch() {
		if (isReady()) {
			Objects.requireNonNull(this.writer).flush();
		}
	}

	/** Allows the sink to send its next response. */
	public void requestNext() {
		call().request(1);
	}

	/**
	 * Cancels the call. The listener is told, and {@link #close} is still to be called.
	 */
	public void cancel(String reason, @Nullable Throwable cause) {
		if (this.call != null) {
			this.call.cancel(reason, cause);
		}
	}

	/** Frees memory, after the end of the call. */
	public void close() {
		if (this.writer != null) {
			this.writer.close();
		}
	}

	private ClientCallStreamObserver<Request> call() {
		if (this.call == null) {
			throw new IllegalStateException("Not started");
		}
		return this.call;
	}

}
