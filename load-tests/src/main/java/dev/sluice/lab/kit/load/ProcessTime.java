package dev.sluice.lab.kit.load;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.sluice.lab.kit.process.ThreadTimes;
import org.jspecify.annotations.Nullable;

/**
 * CPU time of some processes and of their children, as far as the system reports it.
 * Children that end between two readings are missing in the second. Not thread-safe.
 */
final class ProcessTime {

	/** Processes that together use no more CPU than this are at rest; 1 = one core. */
	static final double REST = 0.25;

	private static final long MICROS_PER_MILLI = 1_000;

	private final List<Long> pids;

	private final ThreadTimes threads = ThreadTimes.ofThisMachine();

	private long millis;

	private long readNanos;

	ProcessTime(List<Long> pids) {
		this.pids = List.copyOf(pids);
	}

	/**
	 * CPU time since their start, in milliseconds; 0 where the system does not report it.
	 */
	long millis() {
		return processes().map((process) -> process.info().totalCpuDuration())
			.flatMap(Optional::stream)
			.mapToLong(Duration::toMillis)
			.sum();
	}

	/**
	 * CPU time of the JVMs' compilers since the first call, in milliseconds; null where
	 * the system does not report it.
	 */
	@Nullable Long jitMillis() {
		ThreadTimes.Totals totals = this.threads.sample(processes().map(ProcessHandle::pid).toList());
		return (totals != null) ? totals.jit() / MICROS_PER_MILLI : null;
	}

	private Stream<ProcessHandle> processes() {
		return this.pids.stream()
			.flatMap((pid) -> ProcessHandle.of(pid).stream())
			.flatMap((process) -> Stream.concat(Stream.of(process), process.descendants()));
	}

	/** Reads the CPU time, for {@link #isIdle}. */
	void sample() {
		this.millis = millis();
		this.readNanos = System.nanoTime();
	}

	/**
	 * Whether the processes were idle since the last reading. Reads again.
	 */
	boolean isIdle() {
		long before = this.millis;
		long beforeNanos = this.readNanos;
		sample();
		return (this.millis - before) * 1_000_000.0 <= REST * (this.readNanos - beforeNanos);
	}

}
