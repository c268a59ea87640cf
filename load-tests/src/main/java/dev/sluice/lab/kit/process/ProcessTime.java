package dev.sluice.lab.kit.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.sluice.lab.kit.process.Procfs.ThreadTimes;
import org.jspecify.annotations.Nullable;

/**
 * CPU time of some processes and of their children, as far as the system reports it.
 * Children that end between two readings are missing in the second. Not thread-safe.
 */
public final class ProcessTime {

	/** Processes that together use no more CPU than this are at rest; 1 = one core. */
	static final double REST = 0.25;

	private static final Duration SAMPLE = Duration.ofMillis(300);

	private static final long MICROS_PER_MILLI = 1_000;

	private final List<Long> pids;

	private final ThreadTimes threads = new ThreadTimes(new Procfs(Path.of("/proc")));

	public ProcessTime(List<Long> pids) {
		this.pids = List.copyOf(pids);
	}

	/**
	 * What the processes have used until a time.
	 *
	 * @param nanos the time, of {@link System#nanoTime}
	 * @param cpuMillis CPU time since their start, in milliseconds; 0 where the system
	 * does not report it
	 * @param jitMillis that of the JVMs' compilers since the first reading, in
	 * milliseconds; null where the system does not report it
	 */
	public record Reading(long nanos, long cpuMillis, @Nullable Long jitMillis) {
	}

	public Reading read() {
		Long micros = this.threads.jitMicros(processes().map(ProcessHandle::pid).toList());
		return new Reading(System.nanoTime(), millis(),
				(micros != null) ? Long.valueOf(micros / MICROS_PER_MILLI) : null);
	}

	private long millis() {
		return processes().map((process) -> process.info().totalCpuDuration())
			.flatMap(Optional::stream)
			.mapToLong(Duration::toMillis)
			.sum();
	}

	private Stream<ProcessHandle> processes() {
		return this.pids.stream()
			.flatMap((pid) -> ProcessHandle.of(pid).stream())
			.flatMap((process) -> Stream.concat(Stream.of(process), process.descendants()));
	}

	/**
	 * Waits until the processes have nothing left to compile, project or collect.
	 * @param least shortest wait
	 * @param most longest wait; then it returns anyway
	 */
	public void awaitRest(Duration least, Duration most, Pause pause) throws InterruptedException {
		long deadline = System.nanoTime() + most.toNanos();
		pause.pause(least);
		double used;
		do {
			long before = millis();
			long beganNanos = System.nanoTime();
			pause.pause(SAMPLE);
			used = (millis() - before) * 1_000_000.0 / (System.nanoTime() - beganNanos);
		}
		while (used > REST && System.nanoTime() - deadline < 0);
	}

	/** How to let time pass. */
	@FunctionalInterface
	public interface Pause {

		void pause(Duration duration) throws InterruptedException;

	}

}
