package dev.sluice.sink;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import com.google.errorprone.annotations.ThreadSafe;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits what all calls receive, from the first byte of a message on.
 * <ul>
 * <li>A message of more than {@code sink.max-message} and an envelope ends its call with
 * {@code RESOURCE_EXHAUSTED}. gRPC's own limit would reset a stream that has had a
 * response, which its client sees as {@code CANCELLED} (grpc-java #11245).</li>
 * <li>Messages that have been asked for may come at once, in excess of
 * {@code sink.memory}; a call that brings the excess to as much again ends with
 * {@code RESOURCE_EXHAUSTED}, and is reset if it goes on.</li>
 * <li>A message that is not whole {@code sink.stall-timeout} after its first byte ends
 * its call with {@code DEADLINE_EXCEEDED}.</li>
 * </ul>
 */
@ThreadSafe
final class InboundLimits extends ServerStreamTracer.Factory {

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

	/** Looks for calls that take too long. To be called often. */
	void check() {
		long now = nowNanos();
		this.calls.forEach((call) -> call.check(now));
	}

	long nowNanos() {
		return this.nanoTime.getAsLong();
	}

	/** Bytes have come. Returns the memory in use now. */
	long count(long bytes) {
		return this.memory.add(bytes);
	}

	/** They are held no longer, or somebody else counts them. */
	void discount(long bytes) {
		if (bytes > 0) {
			this.memory.release(bytes);
		}
	}

	/** What a call ends with for what it has sent; null if it may go on. */
	@Nullable Status brokenBy(long messageBytes, long memoryBytes) {
		if (messageBytes > this.properties.maxRequestBytes()) {
			return Status.RESOURCE_EXHAUSTED
				.withDescription("The message is larger than %d bytes (sink.max-message) and an envelope of %d"
					.formatted(this.properties.maxMessageBytes(), SinkProperties.ENVELOPE_BYTES));
		}
		if (memoryBytes > 2 * this.properties.memory().toBytes()) {
			return Status.RESOURCE_EXHAUSTED
				.withDescription("The sink's memory is used up (sink.memory); send again what was not acknowledged");
		}
		return null;
	}

	/** More than can have been under way when the client was told of the end. */
	boolean ignoresItsEnd(long bytesAfterEnd) {
		return bytesAfterEnd > this.properties.flowWindow().toBytes();
	}

	/** There is no room for what comes until the client has read the end. */
	boolean cannotWait(long memoryBytes) {
		return memoryBytes > 2 * this.properties.memory().toBytes() + this.properties.flowWindow().toBytes();
	}

	boolean stalled(long nanos) {
		return nanos > this.properties.stallTimeout().toNanos();
	}

	Status stallStatus() {
		return Status.DEADLINE_EXCEEDED
			.withDescription("A message was not whole %d ms after it began (sink.stall-timeout)"
				.formatted(this.properties.stallTimeout().toMillis()));
	}

	void tell(Object client, Status status) {
		this.log.warn("A call of %s has been ended: %s",
				(client instanceof X509Certificate certificate) ? certificate.getSubjectX500Principal() : client,
				status.getDescription());
	}

	void closed(InboundCall call, long bytes) {
		this.calls.remove(call);
		discount(bytes);
	}

}
