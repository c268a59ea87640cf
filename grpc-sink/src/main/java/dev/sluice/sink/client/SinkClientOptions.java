package dev.sluice.sink.client;

import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a client works.
 *
 * @param spool the directory that keeps messages until the sink has them, of this client
 * alone; made if it is not there; null = they are kept in memory and die with the
 * process. Default null
 * @param spoolBytes what the spool holds at most, payloads and 80 bytes each; beyond,
 * sending is refused. The files may take twice as much and two segments. Default 1 GB, in
 * memory 64 MB
 * @param durability what a message in the spool outlives. Default {@code POWER}
 * @param window messages in flight to each address at most, always; 0 = adaptive. Default
 * 0
 * @param maxWindow what the adaptive window may grow to; the sink's capacity bounds it
 * too. Default 16,384
 * @param ackTimeout until a message that is not acknowledged is sent again; longer than
 * the sink's {@code sink.store-timeout}. A sink that says nothing for that long on a new
 * stream, or acknowledges nothing for three times that long, is left for another stream.
 * Default 20 s
 * @param zstdLevel of the compression, if the sink takes it; 0 = none. Default 3
 * @param dictionary whether the sink's dictionary is used, if it has one. Default true
 * @param maxMessageBytes the largest payload; one that the sink says is too large for it
 * is not sent and refused. Default 1 MB
 * @param batchBytes of one request with several small messages at most, if the sink takes
 * such; 0 = each message has a request of its own. Default 16 KB
 * @param linger how long a message waits for others to go with it in one request, less
 * than {@code ackTimeout}; 0 = not: only those that wait already go together. Default 0
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

	/** The defaults, with a directory. */
	public static SinkClientOptions durable(Path spool) {
		return new SinkClientOptions(spool, 1024 * MEGABYTE, Durability.POWER, 0, 16_384, Duration.ofSeconds(20),
				ZSTD_LEVEL, true, (int) MEGABYTE, BATCH_BYTES, Duration.ZERO);
	}

	/** The defaults, without. */
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
