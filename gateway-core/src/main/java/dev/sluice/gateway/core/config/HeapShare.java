package dev.sluice.gateway.core.config;

/**
 * Limits that are not set and follow from the maximum size of the heap: what they bound
 * may take a quarter of it, so that connections and requests together leave half.
 */
final class HeapShare {

	private HeapShare() {
	}

	/**
	 * The limit that applies.
	 * @param configured the configured limit, 0 for one that follows from the heap
	 * @param bytesEach heap that each takes, in bytes
	 * @param most maximum of a limit that follows from the heap
	 */
	static int limit(int configured, int bytesEach, int most) {
		return (configured != 0) ? configured : limitOf(Runtime.getRuntime().maxMemory(), bytesEach, most);
	}

	static int limitOf(long heapBytes, int bytesEach, int most) {
		return (int) Math.clamp(heapBytes / 4 / bytesEach, 1, most);
	}

}
