package dev.sluice.sink;

import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sluice.sink.limit.RateLimitedLog;
import dev.sluice.sink.limit.SharedLimit;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
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
final class InboundLimits extends ServerStreamTracer.Factory {

	private static final Logger logger = LoggerFactory.getLogger(InboundLimits.class);

	final SinkProperties properties;

	/** Bytes of messages, from the first byte of each. */
	final SharedLimit memory;

	final LongSupplier nanoTime;

	private final RateLimitedLog log;

	private final Set<InboundCall> calls = ConcurrentHashMap.newKeySet();

	InboundLimits(SinkProperties properties, SharedLimit memory, LongSupplier nanoTime) {
		this.properties = properties;
		this.memory = memory;
		this.nanoTime = nanoTime;
		this.log = new RateLimitedLog(logger, nanoTime);
	}

	@Override
	public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
		InboundCall call = new InboundCall(this);
		this.calls.add(call);
		return call;
	}

	/** Ends calls that take too long. Call it periodically. */
	void check() {
		long now = this.nanoTime.getAsLong();
		this.calls.forEach((call) -> call.check(now));
	}

	void logEnd(Object client, Status status) {
		this.log.warn("Ended a call of %s: %s",
				(client instanceof X509Certificate certificate) ? certificate.getSubjectX500Principal() : client,
				status.getDescription());
	}

	void closed(InboundCall call) {
		this.calls.remove(call);
	}

}
