package dev.sluice.sink.client;

import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Options of a client.
 *
 * @param spool directory that keeps messages until the sink has them. Only this client
 * may use it; it is created if it does not exist. null = messages are kept in memory and
 * are lost with the process. Default null
 * @param spoolBytes maximum size of the messages in the spool: payloads plus 80 bytes
 * each. A message over it is refused with {@link SpoolFullException}. The files may take
 * twice as much, plus two segments. Default 1 GB, in memory 64 MB
 * @param durability what a message in the spool survives. Default {@code POWER}
 * @param window fixed maximum number of messages in flight; 0 = adaptive. Default 0
 * @param maxWindow maximum of the adaptive window, which the sink's capacity also limits.
 * Default 16,384
 * @param ackTimeout time after which an unacknowledged message is sent again; longer than
 * the sink's {@code sink.store.timeout}. A stream on which the sink does not answer
 * within that time, or acknowledges nothing for three times that time, is replaced by a
 * new one. Default 20 s
 * @param zstdLevel compression level, if the sink accepts compressed messages; 0 = none.
 * Default 3
 * @param dictionary whether to use the sink's dictionary, if it has one. Default true
 * @param maxMessageBytes maximum size of a payload. A message that is larger than the
 * sink's own maximum is not sent and counts as refused. Default 1 MB
 * @param batchBytes maximum size of a request with several messages, if the sink accepts
 * such; 0 = each message has its own request. Default 16 KB
 * @param linger how long a message waits for others to share its request, less than
 * {@code ackTimeout}; 0 = it does not wait: only messages that already wait share one.
 * Default 0
 */
public record SinkClientOptions(@Nullable Path spool, long spoolBytes, Durability durability, int window, int maxWindow,
		Duration ackTimeout, int zstdLevel, boolean dictionary, int maxMessageBytes, int batchBytes, Duration linger) {

	private static final long MEGABYTE = 1024 * 1024;

	private static final int BATCH_BYTES = 16 * 1024;

	private static final int ZSTD_LEVEL = 3;

	private static final int MAX_ZSTD_LEVEL = 22;

	public SinkClientOptions {
		require(spoolBytes > 0, "spoolBytes must be positive");
		require(window >= 0, "window must be 0 (adaptive) or positive");
		require(maxWindow > 0, "maxWindow must be positive");
		require(ackTimeout.isPositive(), "ackTimeout must be positive");
		require(zstdLevel >= 0 && zstdLevel <= MAX_ZSTD_LEVEL, "zstdLevel must be 0 (none) to 22");
		require(maxMessageBytes > 0, "maxMessageBytes must be positive");
		require(batchBytes >= 0, "batchBytes must be 0 (no batches) or positive");
		require(!linger.isNegative() && linger.compareTo(ackTimeout) < 0,
				"linger must be 0 (none) or positive, and less than ackTimeout");
	}

	private static void require(boolean condition, String otherwise) {
		if (!condition) {
			throw new IllegalArgumentException(otherwise);
		}
	}

	/** The defaults for a spool in a directory. */
	public static SinkClientOptions durable(Path spool) {
		return new SinkClientOptions(spool, 1024 * MEGABYTE, Durability.POWER, 0, 16_384, Duration.ofSeconds(20),
				ZSTD_LEVEL, true, (int) MEGABYTE, BATCH_BYTES, Duration.ZERO);
	}

	/** The defaults for a spool in memory. */
	public static SinkClientOptions inMemory() {
		return new SinkClientOptions(null, 64 * MEGABYTE, Durability.PROCESS, 0, 16_384, Duration.ofSeconds(20),
				ZSTD_LEVEL, true, (int) MEGABYTE, BATCH_BYTES, Duration.ZERO);
	}

	public SinkClientOptions withSpoolBytes(long value) {
		return new SinkClientOptions(this.spool, value, this.durability, this.window, this.maxWindow, this.ackTimeout,
				this.zstdLevel, this.dictionary, this.maxMessageBytes, this.batchBytes, this.linger);
	}

	public SinkClientOptions withDurability(Durability value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, value, this.window, this.maxWindow, this.ackTimeout,
				this.zstdLevel, this.dictionary, this.maxMessageBytes, this.batchBytes, this.linger);
	}

	public SinkClientOptions withWindow(int value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, value, this.maxWindow,
				this.ackTimeout, this.zstdLevel, this.dictionary, this.maxMessageBytes, this.batchBytes, this.linger);
	}

	public SinkClientOptions withAckTimeout(Duration value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, this.window, this.maxWindow, value,
				this.zstdLevel, this.dictionary, this.maxMessageBytes, this.batchBytes, this.linger);
	}

	public SinkClientOptions withZstdLevel(int value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, this.window, this.maxWindow,
				this.ackTimeout, value, this.dictionary, this.maxMessageBytes, this.batchBytes, this.linger);
	}

	public SinkClientOptions withDictionary(boolean value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, this.window, this.maxWindow,
				this.ackTimeout, this.zstdLevel, value, this.maxMessageBytes, this.batchBytes, this.linger);
	}

	public SinkClientOptions withBatches(int bytes, Duration linger) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, this.window, this.maxWindow,
				this.ackTimeout, this.zstdLevel, this.dictionary, this.maxMessageBytes, bytes, linger);
	}

}
