package dev.sluice.gateway.core.metrics;

import java.util.List;

import com.google.errorprone.annotations.ThreadSafe;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * Counts the requests that are refused before the application sees them. The log does not
 * tell of them: any client can send as many as it likes.
 */
@Component
@ThreadSafe
public final class RefusedRequests {

	/** By their codes (RFC 9113, section 7). The first one is no error. */
	private static final List<String> HTTP2_ERRORS = List.of("no-error", "protocol-error", "internal-error",
			"flow-control-error", "settings-timeout", "stream-closed", "frame-size-error", "refused-stream", "cancel",
			"compression-error", "connect-error", "enhance-your-calm", "inadequate-security", "http-1-1-required");

	private final Counter malformed;

	private final Counter late;

	private final List<Counter> http2;

	public RefusedRequests(MeterRegistry meters) {
		this.malformed = counter(meters, "malformed");
		this.late = counter(meters, "late");
		this.http2 = HTTP2_ERRORS.stream().skip(1).map((error) -> counter(meters, error)).toList();
	}

	private static Counter counter(MeterRegistry meters, String reason) {
		return GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", reason);
	}

	/** A request breaks the rules of HTTP: 400. */
	public void malformed() {
		this.malformed.increment();
	}

	/** A head has not come in time: 408. */
	public void late() {
		this.late.increment();
	}

	/**
	 * A stream of HTTP/2 was reset, or a connection of it ended.
	 * @param errorCode what the client was told as the reason
	 */
	public void http2(int errorCode) {
		if (errorCode > 0 && errorCode < HTTP2_ERRORS.size()) {
			this.http2.get(errorCode - 1).increment();
		}
	}

}
