package dev.sluice.lab.kit.process;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How long the threads of some processes ran, by kind, and how long they waited for a
 * core, since the first sample. What a thread does after its last sample is missing. Not
 * thread-safe.
 */
public final class ThreadTimes {

	private static final long NANOS_PER_MICRO = 1_000;

	/** The names that a HotSpot JVM gives its threads, as truncated by the kernel. */
	private static final List<String> JIT = List.of("C1 Compiler", "C2 Compiler");

	/** The VM thread does the work of a safepoint: with Serial, all of a collection. */
	private static final List<String> GC = List.of("GC Thread", "G1 ", "ZWorker", "ZDriver", "ZDirector", "VM Thread");

	private final Procfs procfs;

	private final Map<Long, Thread> threads = new HashMap<>();

	private boolean begun;

	private long waitNanos;

	private long jitNanos;

	private long gcNanos;

	ThreadTimes(Procfs procfs) {
		this.procfs = procfs;
	}

	/** Thread times on this machine. */
	public static ThreadTimes ofThisMachine() {
		return new ThreadTimes(new Procfs(Path.of("/proc")));
	}

	/**
	 * Sums since the first sample, in microseconds.
	 *
	 * @param waiting time that all threads together were ready to run and had no core
	 * @param jit CPU time of the compiler's threads
	 * @param gc CPU time of the collector's threads
	 */
	public record Totals(long waiting, long jit, long gc) {
	}

	private enum Kind {

		JIT, GC, OTHER;

		static Kind of(String name) {
			if (ThreadTimes.JIT.stream().anyMatch(name::startsWith)) {
				return JIT;
			}
			return ThreadTimes.GC.stream().anyMatch(name::startsWith) ? GC : OTHER;
		}

	}

	/** A thread at the last sample. Its name is final from its second sample on. */
	private record Thread(Kind kind, boolean named, Procfs.Schedule schedule) {
	}

	/**
	 * Reads all threads of the processes; null if the kernel reports none.
	 */
	public @Nullable Totals sample(List<Long> pids) {
		Map<Long, Thread> seen = new HashMap<>();
		for (long pid : pids) {
			for (long id : this.procfs.threads(pid)) {
				Procfs.Schedule now = this.procfs.schedule(pid, id);
				if (now != null) {
					seen.put(id, add(pid, id, now));
				}
			}
		}
		this.threads.clear();
		this.threads.putAll(seen);
		this.begun = true;
		return seen.isEmpty() ? null : new Totals(this.waitNanos / NANOS_PER_MICRO, this.jitNanos / NANOS_PER_MICRO,
				this.gcNanos / NANOS_PER_MICRO);
	}

	private Thread add(long pid, long id, Procfs.Schedule now) {
		Thread last = this.threads.get(id);
		if (last != null
				&& (now.runNanos() < last.schedule().runNanos() || now.waitNanos() < last.schedule().waitNanos())) {
			last = null; // Another thread has the id now.
		}
		Kind kind = (last != null && last.named()) ? last.kind() : Kind.of(this.procfs.threadName(pid, id));
		if (this.begun) {
			Procfs.Schedule before = (last != null) ? last.schedule() : Procfs.Schedule.NONE;
			long ran = now.runNanos() - before.runNanos();
			this.waitNanos += now.waitNanos() - before.waitNanos();
			this.jitNanos += (kind == Kind.JIT) ? ran : 0;
			this.gcNanos += (kind == Kind.GC) ? ran : 0;
		}
		return new Thread(kind, last != null, now);
	}

}
