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
 * each. A message over it is refused with
 * {@link dev.sluice.sink.client.spool.SpoolFullException}. The files may take twice as
 * much, plus two segments. Default 1 GB, in memory 64 MB
 * @param durability what a message in the spool survives. Default {@code POWER}
 * @param window maximum number of messages in flight, below which the number adapts to
 * the sink. Default 16,384
 * @param ackTimeout time within which the sink must answer on a stream and acknowledge
 * each message; longer than its {@code sink.store.timeout}. After that a new stream
 * replaces the stream, and what is not acknowledged is sent again. Default 20 s
 * @param maxMessageBytes maximum size of a payload. A message that is larger than the
 * sink's own maximum is not sent and counts as refused. Default 1 MB
 * @param zstdLevel compression level, 1 to 22; 0 = none. Default 3
 * @param dictionary whether to compress with the sink's dictionary, if it has one.
 * Default true
 */
public record SinkClientOptions(@Nullable Path spool, long spoolBytes, Durability durability, int window,
		Duration ackTimeout, int maxMessageBytes, int zstdLevel, boolean dictionary) {

	private static final long MEGABYTE = 1024 * 1024;

	private static final int WINDOW = 16_384;

	private static final int MAX_ZSTD_LEVEL = 22;

	/**
	 * @throws IllegalArgumentException if a value is out of its range
	 */
	public SinkClientOptions {
		require(spoolBytes > 0, "spoolBytes must be positive");
		require(window > 0, "window must be positive");
		require(ackTimeout.isPositive(), "ackTimeout must be positive");
		require(maxMessageBytes > 0, "maxMessageBytes must be positive");
		require(zstdLevel >= 0 && zstdLevel <= MAX_ZSTD_LEVEL, "zstdLevel must be 0 (none) to 22");
	}

	private static void require(boolean condition, String otherwise) {
		if (!condition) {
			throw new IllegalArgumentException(otherwise);
		}
	}

	/** The defaults for a spool in a directory. */
	public static SinkClientOptions durable(Path spool) {
		return new SinkClientOptions(spool, 1024 * MEGABYTE, Durability.POWER, WINDOW, Duration.ofSeconds(20),
				(int) MEGABYTE, 3, true);
	}

	/** The defaults for a spool in memory. */
	public static SinkClientOptions inMemory() {
		return new SinkClientOptions(null, 64 * MEGABYTE, Durability.PROCESS, WINDOW, Duration.ofSeconds(20),
				(int) MEGABYTE, 3, true);
	}

	public SinkClientOptions withSpoolBytes(long value) {
		return new SinkClientOptions(this.spool, value, this.durability, this.window, this.ackTimeout,
				this.maxMessageBytes, this.zstdLevel, this.dictionary);
	}

	public SinkClientOptions withDurability(Durability value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, value, this.window, this.ackTimeout,
				this.maxMessageBytes, this.zstdLevel, this.dictionary);
	}

	public SinkClientOptions withWindow(int value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, value, this.ackTimeout,
				this.maxMessageBytes, this.zstdLevel, this.dictionary);
	}

	public SinkClientOptions withAckTimeout(Duration value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, this.window, value,
				this.maxMessageBytes, this.zstdLevel, this.dictionary);
	}

	public SinkClientOptions withZstdLevel(int value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, this.window, this.ackTimeout,
				this.maxMessageBytes, value, this.dictionary);
	}

	public SinkClientOptions withDictionary(boolean value) {
		return new SinkClientOptions(this.spool, this.spoolBytes, this.durability, this.window, this.ackTimeout,
				this.maxMessageBytes, this.zstdLevel, value);
	}

}
