package dev.sluice.lab.kit.load;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * CPU time of some processes and of their children, as far as the system tells it.
 * Children that end between two readings are missing in the second. Not thread-safe.
 */
final class ProcessTime {

	/** Of all processes together, 1 = one core: less is rest. */
	static final double REST = 0.25;

	private final List<Long> pids;

	private long millis;

	private long readNanos;

	ProcessTime(List<Long> pids) {
		this.pids = List.copyOf(pids);
	}

	/** Since their start, in milliseconds; 0 where the system does not tell. */
	long millis() {
		return this.pids.stream()
			.flatMap((pid) -> ProcessHandle.of(pid).stream())
			.flatMap((process) -> Stream.concat(Stream.of(process), process.descendants()))
			.map((process) -> process.info().totalCpuDuration())
			.flatMap(Optional::stream)
			.mapToLong(Duration::toMillis)
			.sum();
	}

	/** Begins to look. */
	void look() {
		this.millis = millis();
		this.readNanos = System.nanoTime();
	}

	/**
	 * Whether the processes were at rest since the last look. Looks again.
	 */
	boolean isAtRest() {
		long before = this.millis;
		long beforeNanos = this.readNanos;
		look();
		return (this.millis - before) * 1_000_000.0 <= REST * (this.readNanos - beforeNanos);
	}

}
