package dev.sluice.lab.kit.process;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How long the compilers' threads of some JVMs ran since the first sample. What a thread
 * does after its last sample is missing. Not thread-safe.
 */
public final class ThreadTimes {

	private static final long NANOS_PER_MICRO = 1_000;

	/** The names that a HotSpot JVM gives its threads, as truncated by the kernel. */
	private static final List<String> JIT = List.of("C1 Compiler", "C2 Compiler");

	private final Procfs procfs;

	private final Map<Long, Thread> threads = new HashMap<>();

	private boolean begun;

	private long jitNanos;

	ThreadTimes(Procfs procfs) {
		this.procfs = procfs;
	}

	/** Thread times on this machine. */
	public static ThreadTimes ofThisMachine() {
		return new ThreadTimes(new Procfs(Path.of("/proc")));
	}

	/**
	 * A thread at the last sample. Its name is final from its second sample on.
	 *
	 * @param compiles whether it is one of the compilers'
	 * @param runNanos time on a core since it began
	 */
	private record Thread(boolean compiles, boolean named, long runNanos) {
	}

	/**
	 * Reads all threads of the processes.
	 * @return CPU time of the compilers' threads since the first call, in microseconds;
	 * null if the kernel reports no threads
	 */
	public @Nullable Long jitMicros(List<Long> pids) {
		Map<Long, Thread> seen = new HashMap<>();
		for (long pid : pids) {
			for (long id : this.procfs.threads(pid)) {
				Long now = this.procfs.runNanos(pid, id);
				if (now != null) {
					seen.put(id, add(pid, id, now));
				}
			}
		}
		this.threads.clear();
		this.threads.putAll(seen);
		this.begun = true;
		return seen.isEmpty() ? null : Long.valueOf(this.jitNanos / NANOS_PER_MICRO);
	}

	private Thread add(long pid, long id, long runNanos) {
		Thread last = this.threads.get(id);
		if (last != null && runNanos < last.runNanos()) {
			last = null; // Another thread has the id now.
		}
		boolean compiles = (last != null && last.named()) ? last.compiles()
				: JIT.stream().anyMatch(this.procfs.threadName(pid, id)::startsWith);
		if (this.begun && compiles) {
			this.jitNanos += runNanos - ((last != null) ? last.runNanos() : 0);
		}
		return new Thread(compiles, last != null, runNanos);
	}

}
