package dev.sluice.sink.client.wire;

/**
 * How messages are written as requests, as far as the sink supports it.
 *
 * @param zstdLevel compression level; 0 = none
 * @param dictionary whether to use the sink's dictionary, if it has one
 * @param batchBytes maximum size of a request with several messages; 0 = each message has
 * its own request. Only messages that already wait share one
 */
public record RequestOptions(int zstdLevel, boolean dictionary, int batchBytes) {

	private static final int MAX_ZSTD_LEVEL = 22;

	/**
	 * @throws IllegalArgumentException if a value is out of its range
	 */
	public RequestOptions {
		if (zstdLevel < 0 || zstdLevel > MAX_ZSTD_LEVEL) {
			throw new IllegalArgumentException("zstdLevel must be 0 (none) to 22");
		}
		if (batchBytes < 0) {
			throw new IllegalArgumentException("batchBytes must be 0 (no batches) or positive");
		}
	}

}
