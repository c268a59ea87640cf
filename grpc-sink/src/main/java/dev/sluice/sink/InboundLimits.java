package dev.sluice.sink;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sluice.sink.limit.RateLimitedLog;
import dev.sluice.sink.limit.SharedLimit;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits what calls receive, from the first byte of a message.
 * <ul>
 * <li>A message larger than {@code sink.limits.max-message} plus an envelope ends its
 * call with {@code RESOURCE_EXHAUSTED}. gRPC's own limit would reset a stream that has
 * had a response, which its client sees as {@code CANCELLED} (grpc-java #11245).</li>
 * <li>Messages that were already requested may still arrive when
 * {@code sink.limits.memory} is used up. A call that brings the total over twice
 * {@code sink.limits.memory} ends with {@code RESOURCE_EXHAUSTED}, and is reset if its
 * client goes on sending.</li>
 * <li>A message that is incomplete {@code sink.stream.stall-timeout} after its first byte
 * ends its call with {@code DEADLINE_EXCEEDED}.</li>
 * </ul>
 */
final class InboundLimits extends ServerStreamTracer.Factory implements ServerInterceptor {

	private static final Logger logger = LoggerFactory.getLogger(InboundLimits.class);

	private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);

	private final SinkProperties properties;

	private final SharedLimit memory;

	private final LongSupplier nanoTime;

	private final RateLimitedLog log;

	private final Set<InboundCall> calls = ConcurrentHashMap.newKeySet();

	InboundLimits(SinkProperties properties, SharedLimit memory, LongSupplier nanoTime) {
		this.properties = properties;
		this.memory = memory;
		this.nanoTime = nanoTime;
		this.log = new RateLimitedLog(logger, LOG_INTERVAL, nanoTime);
	}

	@Override
	public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
		InboundCall call = new InboundCall(this, nowNanos());
		this.calls.add(call);
		return call;
	}

	/**
	 * Ends a unary call whose request breaks a limit with a status that names the limit.
	 * The request is never received whole, so no handler answers the call as well.
	 */
	@Override
	public <I, O> ServerCall.Listener<I> interceptCall(ServerCall<I, O> call, Metadata headers,
			ServerCallHandler<I, O> next) {
		InboundCall inbound = InboundCall.CURRENT.get();
		if (inbound != null && call.getMethodDescriptor().getType().clientSendsOneMessage()) {
			inbound.onBrokenLimit((status) -> call.close(status, new Metadata()));
		}
		return next.startCall(call, headers);
	}

	/** Ends calls that take too long. Call it periodically. */
	void check() {
		long now = nowNanos();
		this.calls.forEach((call) -> call.check(now));
	}

	long nowNanos() {
		return this.nanoTime.getAsLong();
	}

	/** Counts bytes received. Returns the memory in use now. */
	long count(long bytes) {
		return this.memory.add(bytes);
	}

	/** Uncounts bytes that are no longer held, or that the handler counts from now on. */
	void discount(long bytes) {
		this.memory.release(bytes);
	}

	/** The status that ends a call that breaks a limit; null if it may go on. */
	@Nullable Status brokenBy(long messageBytes, long memoryBytes) {
		if (messageBytes > this.properties.limits().maxRequestBytes()) {
			return Status.RESOURCE_EXHAUSTED
				.withDescription("The message is larger than %s bytes (sink.limits.max-message) and an envelope of %s"
					.formatted(this.properties.limits().maxMessageBytes(), SinkProperties.ENVELOPE_BYTES));
		}
		if (memoryBytes > 2 * this.properties.limits().memory().toBytes()) {
			return Status.RESOURCE_EXHAUSTED.withDescription(
					"The sink's memory is used up (sink.limits.memory); " + "resend unacknowledged messages");
		}
		return null;
	}

	/** Whether more has come than can have been under way when the call ended. */
	boolean ignoresItsEnd(long bytesAfterEnd) {
		return bytesAfterEnd > this.properties.limits().flowWindow().toBytes();
	}

	/** Whether the memory is too short to wait until the client has read the end. */
	boolean cannotWait(long memoryBytes) {
		return memoryBytes > 2 * this.properties.limits().memory().toBytes()
				+ this.properties.limits().flowWindow().toBytes();
	}

	long maxAgeNanos() {
		return this.properties.stream().maxAge().toNanos();
	}

	boolean stalled(long nanos) {
		return nanos > this.properties.stream().stallTimeout().toNanos();
	}

	Status stallStatus() {
		return Status.DEADLINE_EXCEEDED
			.withDescription("A message was incomplete %s ms after its first byte (sink.stream.stall-timeout)"
				.formatted(this.properties.stream().stallTimeout().toMillis()));
	}

	void logEnd(Object client, Status status) {
		this.log.warn("Ended a call of %s: %s",
				(client instanceof X509Certificate certificate) ? certificate.getSubjectX500Principal() : client,
				status.getDescription());
	}

	void closed(InboundCall call, long bytes) {
		this.calls.remove(call);
		discount(bytes);
	}

}
