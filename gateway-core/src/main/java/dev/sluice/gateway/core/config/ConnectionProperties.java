package dev.sluice.gateway.core.config;

import java.time.Duration;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Limits of the connections of the API's port. They protect the gateway from clients that
 * send slowly, not at all, or from too many connections.
 *
 * @param headTimeout maximum time from the first byte of a request to the end of its
 * head. Then the gateway answers 408 where it can, and closes the connection; default 10
 * s
 * @param bodyTimeout maximum time from the end of the head to the end of the body. Then
 * the gateway answers 408 and closes the connection; default 10 s
 * @param maxConnections maximum number of open connections. Further connections wait in
 * the operating system's backlog until one is closed. 0 = as many as fit in a quarter of
 * the heap at 12 KB each, but at most 16,384; default 0
 * @param writeTimeout maximum time that an answer waits for a client that does not read,
 * once the operating system holds 256 KB for its connection. Then the connection is
 * closed. In the servlet gateway a thread waits meanwhile; default 500 ms
 * @param maxBodyMemory maximum size of all bodies that have not arrived completely. Their
 * buffers may take twice as much memory. Further requests get 503; default 32 MB
 */
@ConfigurationProperties("sluice")
@Validated
public record ConnectionProperties(
		@DefaultValue("10s") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration headTimeout,
		@DefaultValue("10s") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration bodyTimeout,
		@DefaultValue("0") @Min(0) @Max(1_000_000) int maxConnections,
		@DefaultValue("500ms") @DurationMin(millis = 1) @DurationMax(hours = 1) Duration writeTimeout,
		@DefaultValue("32MB") DataSize maxBodyMemory) {

	/**
	 * Bytes that the operating system buffers for a connection before an answer waits.
	 * Larger than any answer, so that only a client with several unread answers makes one
	 * wait.
	 */
	public static final int SEND_BUFFER_BYTES = 256 * 1024;

	/** Heap of a connection without a request, nearly all of it Tomcat's two buffers. */
	private static final int BYTES_EACH = 12 * 1024;

	/** More must be configured, because each needs an open file as well. */
	private static final int MOST_BY_HEAP = 16_384;

	public ConnectionProperties {
		maxConnections = limit(maxConnections, Runtime.getRuntime().maxMemory(), BYTES_EACH, MOST_BY_HEAP);
	}

	/**
	 * A limit that follows from the heap if it is 0: what it bounds may take a quarter,
	 * so that connections and requests together leave half.
	 */
	static int limit(int configured, long heapBytes, int bytesEach, int most) {
		return (configured != 0) ? configured : (int) Math.clamp(heapBytes / 4 / bytesEach, 1, most);
	}

	@AssertTrue(message = "must be at least 64 KB, so that one order fits")
	boolean isMaxBodyMemoryValid() {
		return this.maxBodyMemory.toKilobytes() >= 64;
	}

}
