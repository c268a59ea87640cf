package dev.sluice.sink;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.contract.Fingerprint;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Counts what one call receives. The transport reports the bytes of a message as they
 * arrive, long before the message is complete and a handler sees it. They count as memory
 * from then on.
 * <p>
 * A call that breaks a limit is ended with a status. A client that does not read the
 * status would keep the call and its bytes in memory. Such a call is reset: at once if
 * its client goes on sending, else after {@code sink.stream.stall-timeout}.
 */
final class InboundCall extends ServerStreamTracer {

	/** The call that is being handled. */
	static final Context.Key<InboundCall> CURRENT = Context.key("sink-inbound-call");

	private final InboundLimits limits;

	private final long openedNanos;

	@GuardedBy("this")
	private Context.@Nullable CancellableContext context;

	@GuardedBy("this")
	private Object client = "unknown";

	/** Ends the call with a status that the client can read. */
	@GuardedBy("this")
	private @Nullable Consumer<Status> brokenLimitListener;

	/** Bytes that count as memory. */
	@GuardedBy("this")
	private long counted;

	/** Bytes received of the incomplete message. */
	@GuardedBy("this")
	private long unfinished;

	@GuardedBy("this")
	private boolean begun;

	/** When the incomplete message started. */
	@GuardedBy("this")
	private long begunNanos;

	@GuardedBy("this")
	private boolean ended;

	@GuardedBy("this")
	private long endedNanos;

	@GuardedBy("this")
	private long afterEnd;

	@GuardedBy("this")
	private boolean closed;

	InboundCall(InboundLimits limits) {
		this.limits = limits;
		this.openedNanos = limits.nanoTime.getAsLong();
	}

	/** Gives the call a context that this class can cancel, which resets the call. */
	@Override
	public Context filterContext(Context parent) {
		Context.CancellableContext cancellable = parent.withValue(CURRENT, this).withCancellation();
		synchronized (this) {
			this.context = cancellable;
		}
		return cancellable;
	}

	@Override
	public void serverCallStarted(ServerCallInfo<?, ?> call) {
		Object named = client(call.getAttributes());
		synchronized (this) {
			this.client = named;
		}
	}

	/** The client's certificate, which is the same from any address; else its address. */
	private static Object client(Attributes attributes) {
		SSLSession session = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
		if (session != null) {
			try {
				Certificate[] chain = session.getPeerCertificates();
				return chain[0];
			}
			catch (SSLPeerUnverifiedException _) {
				// It has none.
			}
		}
		SocketAddress address = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
		return (address instanceof InetSocketAddress internet && internet.getAddress() != null) ? internet.getAddress()
				: String.valueOf(address);
	}

	/** The client of the call: equal for calls of the same client. */
	synchronized Object client() {
		return this.client;
	}

	/**
	 * The owner of the ids of the call's messages: a hash of the subject of the client's
	 * certificate, which stays the same when the certificate is renewed, or 0 without a
	 * certificate. An address would not do: clients behind one NAT share it, and a
	 * client's address changes.
	 */
	long owner() {
		if (!(client() instanceof X509Certificate certificate)) {
			return 0;
		}
		byte[] hash = Fingerprint.sha256(certificate.getSubjectX500Principal().getEncoded());
		long owner = ByteBuffer.wrap(hash).getLong();
		return (owner != 0) ? owner : 1;
	}

	/** The call's handler calls it once, before any message is complete. */
	synchronized void onBrokenLimit(Consumer<Status> brokenLimitListener) {
		this.brokenLimitListener = brokenLimitListener;
	}

	@Override
	public synchronized void inboundMessage(int number) {
		this.begun = true;
		this.begunNanos = this.limits.nanoTime.getAsLong();
		this.unfinished = 0;
	}

	@Override
	public void inboundWireSize(long bytes) {
		Status broken = null;
		boolean reset = false;
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.counted += bytes;
			this.unfinished += bytes;
			long used = this.limits.memory.add(bytes);
			long flowWindow = this.limits.properties.limits().flowWindow().toBytes();
			if (this.ended) {
				this.afterEnd += bytes;
				// More than can have been under way when the call ended.
				reset = this.afterEnd > flowWindow;
			}
			else {
				broken = brokenBy(this.unfinished, used);
			}
			// Too little memory to wait until the client has read the end.
			reset |= used > 2 * this.limits.properties.limits().memory().toBytes() + flowWindow;
		}
		if (broken != null) {
			end(broken);
		}
		if (reset) {
			reset();
		}
	}

	/** The status that ends a call that breaks a limit; null if it may go on. */
	private @Nullable Status brokenBy(long messageBytes, long memoryBytes) {
		SinkProperties.Limits settings = this.limits.properties.limits();
		if (messageBytes > settings.maxRequestBytes()) {
			return tooLargeStatus();
		}
		return (memoryBytes <= 2 * settings.memory().toBytes()) ? null : Status.RESOURCE_EXHAUSTED
			.withDescription("The sink's memory is used up (sink.limits.memory); resend unacknowledged messages");
	}

	private Status tooLargeStatus() {
		return Status.RESOURCE_EXHAUSTED
			.withDescription("The message is larger than %s bytes (sink.limits.max-message) and an envelope of %s"
				.formatted(this.limits.properties.limits().maxMessageBytes(), SinkProperties.ENVELOPE_BYTES));
	}

	/** Ends the call for a message that was too large only after its decompression. */
	void tooLarge() {
		end(tooLargeStatus());
	}

	@Override
	public synchronized void inboundMessageRead(int number, long wireBytes, long bytes) {
		this.begun = false;
		this.unfinished = 0;
	}

	/** From now on the handler counts the memory of the complete messages. */
	void handedOver() {
		long bytes;
		synchronized (this) {
			// A part of the next message may have been received already.
			long rest = this.begun ? this.unfinished : 0;
			bytes = this.counted - rest;
			this.counted = rest;
		}
		this.limits.memory.release(bytes);
	}

	/** The call has ended on this side; its client may still keep it open. */
	synchronized void ended() {
		if (!this.ended) {
			this.ended = true;
			this.endedNanos = this.limits.nanoTime.getAsLong();
		}
	}

	@Override
	public void streamClosed(Status status) {
		long bytes;
		synchronized (this) {
			this.closed = true;
			this.begun = false;
			bytes = this.counted;
			this.counted = 0;
		}
		this.limits.memory.release(bytes);
		this.limits.closed(this);
	}

	/**
	 * Ends the call if a message takes too long; resets it if the client ignores that.
	 */
	void check(long nowNanos) {
		Duration timeout = this.limits.properties.stream().stallTimeout();
		boolean stalled;
		boolean ignored;
		synchronized (this) {
			stalled = !this.ended && this.begun && nowNanos - this.begunNanos > timeout.toNanos();
			ignored = this.ended && nowNanos - this.endedNanos > timeout.toNanos();
		}
		if (stalled) {
			end(Status.DEADLINE_EXCEEDED
				.withDescription("A message was incomplete %s ms after its first byte (sink.stream.stall-timeout)"
					.formatted(timeout.toMillis())));
		}
		if (ignored) {
			reset();
		}
	}

	/**
	 * Whether it has reached {@code sink.stream.max-age}. The limit varies by up to a
	 * tenth, so calls opened together do not end together.
	 */
	boolean isTooOld(long nowNanos) {
		long age = this.limits.properties.stream().maxAge().toNanos();
		long less = Math.floorMod(System.identityHashCode(this), 1_000) * (age / 10_000);
		return age > 0 && nowNanos - this.openedNanos > age - less;
	}

	private void end(Status status) {
		Consumer<Status> listener;
		synchronized (this) {
			if (this.ended) {
				return;
			}
			listener = this.brokenLimitListener;
		}
		ended();
		this.limits.logEnd(client(), status);
		if (listener != null) {
			listener.accept(status);
		}
		else {
			reset();
		}
	}

	/**
	 * gRPC resets a call whose context is cancelled only if the cause is the deadline.
	 */
	private void reset() {
		Context.CancellableContext cancellable;
		synchronized (this) {
			cancellable = Objects.requireNonNull(this.context);
		}
		cancellable.cancel(
				Status.DEADLINE_EXCEEDED.withDescription("The client does not read the end of the call").asException());
	}

}
