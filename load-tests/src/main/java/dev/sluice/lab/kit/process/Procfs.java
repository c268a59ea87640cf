package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Reads the kernel's data about processes.
 *
 * @param proc the mount point of procfs
 */
record Procfs(Path proc) {

	/** A clock tick in milliseconds: 100 per second on every Linux that Java runs on. */
	private static final int TICK_MILLIS = 10;

	/**
	 * A process at a point in time.
	 *
	 * @param cpuMillis its own CPU time
	 * @param endedMillis CPU time of its children that have ended
	 * @param rssBytes resident memory
	 * @param threads operating-system threads
	 */
	record Status(long cpuMillis, long endedMillis, long rssBytes, int threads) {
	}

	/**
	 * How long the compilers' threads of some JVMs ran since the first sample. What a
	 * thread does after its last sample is missing. Not thread-safe.
	 */
	static final class ThreadTimes {

		private static final long NANOS_PER_MICRO = 1_000;

		/** The names that a HotSpot JVM gives its threads, as truncated by the kernel. */
		private static final List<String> JIT = List.of("C1 Compiler", "C2 Compiler");

		private final Procfs procfs;

		/** Of each compiler's thread, the time at the last sample; null before one. */
		private @Nullable Map<Long, Long> last;

		private long jitNanos;

		ThreadTimes(Procfs procfs) {
			this.procfs = procfs;
		}

		/**
		 * Reads the names of all threads of the processes, and the times of compilers.
		 * @return CPU time of the compilers' threads since the first call, in
		 * microseconds; null if the kernel reports no threads
		 */
		@Nullable Long jitMicros(List<Long> pids) {
			Map<Long, Long> before = this.last;
			Map<Long, Long> now = new HashMap<>();
			for (long pid : pids) {
				for (long id : this.procfs.threads(pid)) {
					Long nanos = JIT.stream().anyMatch(this.procfs.threadName(pid, id)::startsWith)
							? this.procfs.runNanos(pid, id) : null;
					if (nanos != null) {
						long known = (before != null) ? before.getOrDefault(id, 0L) : nanos;
						// Less than before: another thread has the id now.
						this.jitNanos += (nanos < known) ? nanos : nanos - known;
						now.put(id, nanos);
					}
				}
			}
			this.last = now;
			return pids.stream().anyMatch((pid) -> this.procfs.runNanos(pid, pid) != null)
					? Long.valueOf(this.jitNanos / NANOS_PER_MICRO) : null;
		}

	}

	/** Null if the process is gone. */
	@Nullable Status status(long pid) {
		Path process = this.proc.resolve(Long.toString(pid));
		try {
			String stat = Files.readString(process.resolve("stat"));
			// The command may contain spaces and parentheses: fields are counted from its
			// end.
			String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
			return new Status((Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_MILLIS,
					(Long.parseLong(fields[13]) + Long.parseLong(fields[14])) * TICK_MILLIS, residentBytes(process),
					Integer.parseInt(fields[17]));
		}
		catch (IOException | ArrayIndexOutOfBoundsException _) {
			return null;
		}
	}

	private static long residentBytes(Path process) throws IOException {
		for (String line : Files.readAllLines(process.resolve("status"))) {
			if (line.startsWith("VmRSS:")) {
				return Long.parseLong(line.substring("VmRSS:".length()).replace("kB", "").trim()) * 1024;
			}
		}
		return 0; // A zombie has no memory.
	}

	/**
	 * A process and its descendants, each parent before its children. Children are those
	 * of the main thread: a JVM's other threads have none here, PostgreSQL has no other
	 * threads.
	 * @param filter which descendants to include; the descendants of others are left out
	 * too
	 */
	List<Long> tree(long pid, LongPredicate filter) {
		List<Long> tree = new ArrayList<>(List.of(pid));
		for (int i = 0; i < tree.size(); i++) {
			children(tree.get(i)).filter(filter::test).forEach(tree::add);
		}
		return tree;
	}

	private Stream<Long> children(long pid) {
		try {
			String children = Files.readString(this.proc.resolve("%1$s/task/%1$s/children".formatted(pid))).strip();
			return children.isEmpty() ? Stream.of() : Stream.of(children.split(" ")).map(Long::valueOf);
		}
		catch (IOException _) {
			return Stream.of(); // It has ended, or the kernel does not list its children.
		}
	}

	/** The threads of a process; none if it has ended. */
	List<Long> threads(long pid) {
		List<Long> threads = new ArrayList<>();
		try (DirectoryStream<Path> tasks = Files.newDirectoryStream(this.proc.resolve("%s/task".formatted(pid)))) {
			tasks.forEach((task) -> threads.add(Long.valueOf(task.getFileName().toString())));
		}
		catch (IOException | DirectoryIteratorException _) {
			// It has ended.
		}
		return threads;
	}

	/**
	 * A thread's time on a core since it began, in nanoseconds; null if the thread has
	 * ended, or the kernel keeps no such account.
	 */
	@Nullable Long runNanos(long pid, long thread) {
		try {
			String account = Files.readString(this.proc.resolve("%s/task/%s/schedstat".formatted(pid, thread)));
			return Long.valueOf(account.strip().split(" ")[0]);
		}
		catch (IOException | NumberFormatException _) {
			return null;
		}
	}

	/** The first 15 characters; empty if the thread has ended. */
	String threadName(long pid, long thread) {
		try {
			return Files.readString(this.proc.resolve("%s/task/%s/comm".formatted(pid, thread))).strip();
		}
		catch (IOException _) {
			return "";
		}
	}

	/**
	 * CPU time that the machine has used since boot, in milliseconds, with what another
	 * virtual machine stole; null if it cannot be read.
	 */
	@Nullable Long busyMillis() {
		try (Stream<String> lines = Files.lines(this.proc.resolve("stat"))) {
			String[] fields = lines.findFirst().orElseThrow().trim().split(" +");
			long busy = 0;
			for (int i = 1; i <= 8 && i < fields.length; i++) {
				// Fields 4 and 5 are idle and waiting for I/O.
				busy += (i == 4 || i == 5) ? 0 : Long.parseLong(fields[i]);
			}
			return busy * TICK_MILLIS;
		}
		catch (IOException _) {
			return null;
		}
	}

}
