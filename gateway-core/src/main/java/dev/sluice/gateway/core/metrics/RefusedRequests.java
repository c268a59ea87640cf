package dev.sluice.gateway.core.metrics;

import java.util.List;

import com.google.errorprone.annotations.ThreadSafe;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * Counts the requests that are refused whatever they ask for. They are not logged,
 * because a client can send any number of them.
 */
@Component
@ThreadSafe
public final class RefusedRequests {

	/** Indexed by their codes (RFC 9113, section 7). The first one is not an error. */
	private static final List<String> HTTP2_ERRORS = List.of("no-error", "protocol-error", "internal-error",
			"flow-control-error", "settings-timeout", "stream-closed", "frame-size-error", "refused-stream", "cancel",
			"compression-error", "connect-error", "enhance-your-calm", "inadequate-security", "http-1-1-required");

	private final Counter malformed;

	private final Counter late;

	private final Counter overloaded;

	private final Counter shuttingDown;

	private final List<Counter> http2;

	public RefusedRequests(MeterRegistry meters) {
		this.malformed = counter(meters, "malformed");
		this.late = counter(meters, "late");
		this.overloaded = counter(meters, "overloaded");
		this.shuttingDown = counter(meters, "shutting-down");
		this.http2 = HTTP2_ERRORS.stream().skip(1).map((error) -> counter(meters, error)).toList();
	}

	private static Counter counter(MeterRegistry meters, String reason) {
		return GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", reason);
	}

	/** A request breaks the rules of HTTP: 400. */
	public void malformed() {
		this.malformed.increment();
	}

	/** A head did not arrive in time: 408. */
	public void late() {
		this.late.increment();
	}

	/**
	 * {@code sluice.max-in-progress} are in progress, or requests wait longer for a
	 * thread than {@code sluice.max-scheduling-delay}: 503.
	 */
	public void overloaded() {
		this.overloaded.increment();
	}

	/** The gateway stops: 503. */
	public void shuttingDown() {
		this.shuttingDown.increment();
	}

	/**
	 * An HTTP/2 stream was reset, or an HTTP/2 connection was ended.
	 * @param errorCode the error code that was sent to the client
	 */
	public void http2(int errorCode) {
		if (errorCode > 0 && errorCode < HTTP2_ERRORS.size()) {
			this.http2.get(errorCode - 1).increment();
		}
	}

}
