package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.devservices.DevServices;
import dev.sluice.lab.kit.process.Procfs.ThreadTimes;
import org.jspecify.annotations.Nullable;

/**
 * Samples procfs every {@link #INTERVAL} on its own thread: CPU time, resident memory and
 * thread count of some processes, descendants included, and the CPU time of the whole
 * machine. Once a second it also reads the times of the compilers' threads. Each sample
 * is appended to a CSV file. A failed sampling is noted in the file, and sampling
 * continues. On a system without procfs it samples nothing.
 */
public final class ProcessSampler implements AutoCloseable {

	/** The sampling interval. Nothing shorter can be measured. */
	public static final Duration INTERVAL = Duration.ofMillis(200);

	/**
	 * The lab counts without its children: they have names of their own, and a child
	 * whose starting thread ends appears below the main thread with all of its time.
	 */
	private static final long LAB = ProcessHandle.current().pid();

	/**
	 * Threads are read in every fifth sampling: reading a thousand of them takes 20 ms.
	 */
	private static final int SELDOM = 5;

	/** Processes that together use no more CPU than this are at rest; 1 = one core. */
	private static final double REST = 0.25;

	private static final Duration REST_INTERVAL = Duration.ofMillis(300);

	/** The interval at which threads are read. */
	static final Duration SELDOM_INTERVAL = INTERVAL.multipliedBy(SELDOM);

	private final Procfs procfs;

	private final Map<String, List<Long>> groups;

	/** The processes named in any group. */
	private final Set<Long> named;

	private final @Nullable PrintWriter file;

	private final List<Sample> samples = Collections.synchronizedList(new ArrayList<>());

	/** Thread times by group. Guarded by this. */
	private final Map<String, ThreadTimes> threadTimes = new HashMap<>();

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("process-sampler").factory());

	/** Confined to the sampling thread. */
	private int samplings;

	/** The greatest value by group, because a counter must not fall. Guarded by this. */
	private final Map<String, Long> lastCpuMillis = new HashMap<>();

	/** By group. Guarded by this. */
	private final Map<String, Long> lastJitMicros = new HashMap<>();

	/**
	 * Starts to sample.
	 * @param groups ids of processes, of a container that of its first one, by the name
	 * that they have in the results; each counts with its descendants
	 * @param file for the samples, replaced if it exists
	 * @throws IOException if the file cannot be written
	 */
	public ProcessSampler(Map<String, List<Long>> groups, Path file) throws IOException {
		this(groups, file, Path.of("/proc"));
	}

	ProcessSampler(Map<String, List<Long>> groups, Path file, Path proc) throws IOException {
		this.procfs = new Procfs(proc);
		this.groups = new LinkedHashMap<>(groups);
		this.named = groups.values().stream().flatMap(List::stream).collect(Collectors.toSet());
		if (!Files.isReadable(proc.resolve("stat"))) {
			this.file = null;
			return;
		}
		this.file = new PrintWriter(Files.newBufferedWriter(file));
		this.file.println("time,process,cpu_ms,rss_bytes,threads,jit_us");
		this.executor.scheduleAtFixedRate(() -> sample(this.samplings++ % SELDOM == 0), 0, INTERVAL.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	/**
	 * The processes of Kafka and PostgreSQL, if they run on this machine, by their names
	 * in the results. The proxy of a container's port counts as part of the container.
	 * Processes missing here count as foreign.
	 */
	public static Map<String, List<Long>> servers(DevServices services) {
		Map<String, List<Long>> servers = new LinkedHashMap<>();
		servers.put("kafka", services.kafka().processes());
		servers.put("postgresql", services.postgres().processes());
		servers.values().removeIf(List::isEmpty);
		return servers;
	}

	/** Catches everything, because an executor silently drops a task that throws. */
	private synchronized void sample(boolean withThreads) {
		PrintWriter out = this.file;
		if (out == null) {
			return;
		}
		try {
			sample(out, withThreads);
			if (out.checkError()) {
				throw new IllegalStateException("the samples cannot be written");
			}
		}
		catch (RuntimeException | Error ex) {
			out.println("# %s failed: %s".formatted(Instant.now(), ex));
			out.flush();
		}
	}

	private void sample(PrintWriter out, boolean withThreads) {
		this.groups.forEach((name, group) -> {
			Sample sample = read(name, group, withThreads);
			if (sample != null) {
				this.samples.add(sample);
				out.println(sample.line());
				if (sample.jitMicros() != null) {
					this.lastJitMicros.put(name, sample.jitMicros());
				}
			}
		});
		Long busy = this.procfs.busyMillis();
		if (busy != null) {
			Sample machine = Sample.ofCpu(Instant.now(), Sample.MACHINE, busy);
			this.samples.add(machine);
			// A group that has ended uses no more, but what it used still counts.
			this.samples.add(new Sample(machine.time(), Sample.OWN, sum(this.lastCpuMillis), null, null,
					(withThreads && !this.lastJitMicros.isEmpty()) ? sum(this.lastJitMicros) : null));
			out.println(machine.line());
		}
	}

	private static Long sum(Map<String, Long> byGroup) {
		return byGroup.values().stream().mapToLong(Long::longValue).sum();
	}

	private List<Long> tree(long first) {
		return this.procfs.tree(first, (child) -> first != LAB && !this.named.contains(child));
	}

	/**
	 * The samples taken so far, and one more that is taken now: what a window used is
	 * interpolated between the samples around each of its ends.
	 */
	public ProcessSamples samples() {
		sample(true);
		return new ProcessSamples(this.samples);
	}

	/**
	 * Waits until the processes, this one left out, have nothing left to compile, project
	 * or collect, as far as the system reports it.
	 * @param least shortest wait
	 * @param most longest wait; then it returns anyway
	 */
	public void awaitRest(Duration least, Duration most, Pause pause) throws InterruptedException {
		long deadline = System.nanoTime() + most.toNanos();
		pause.pause(least);
		double used;
		do {
			long before = othersMillis();
			long beganNanos = System.nanoTime();
			pause.pause(REST_INTERVAL);
			used = (othersMillis() - before) * 1e6 / (System.nanoTime() - beganNanos);
		}
		while (used > REST && System.nanoTime() - deadline < 0);
	}

	private synchronized long othersMillis() {
		return this.groups.entrySet()
			.stream()
			.filter((group) -> !group.getValue().contains(LAB))
			.map((group) -> read(group.getKey(), group.getValue(), false))
			.filter(Objects::nonNull)
			.mapToLong(Sample::cpuMillis)
			.sum();
	}

	/** How to let time pass. */
	@FunctionalInterface
	public interface Pause {

		void pause(Duration duration) throws InterruptedException;

	}

	@Override
	public void close() {
		this.executor.shutdownNow();
		this.executor.close();
		if (this.file != null) {
			this.file.close();
		}
	}

	/** Null if the processes are gone. */
	private @Nullable Sample read(String name, List<Long> group, boolean withThreads) {
		List<Long> pids = group.stream().flatMap((first) -> tree(first).stream()).toList();
		long cpuMillis = 0;
		long rssBytes = 0;
		int threads = 0;
		// A parent before its children: one that ends in between is missed once instead
		// of counted twice.
		for (long pid : pids) {
			Procfs.Status status = this.procfs.status(pid);
			if (status != null) {
				cpuMillis += status.cpuMillis() + ((pid == LAB) ? 0 : status.endedMillis());
				rssBytes += status.rssBytes();
				threads += status.threads();
			}
		}
		if (threads == 0) {
			return null;
		}
		Instant now = Instant.now();
		Long jitMicros = withThreads
				? this.threadTimes.computeIfAbsent(name, (_) -> new ThreadTimes(this.procfs)).jitMicros(pids) : null;
		return new Sample(now, name, this.lastCpuMillis.merge(name, cpuMillis, Math::max), rssBytes, threads,
				jitMicros);
	}

	/**
	 * A group of processes, or the machine, at a point in time.
	 *
	 * @param time when
	 * @param process its name
	 * @param cpuMillis CPU time since it began, never less than in a sample before
	 * @param rssBytes resident memory; shared memory counts for each process; null for
	 * the machine
	 * @param threads operating-system threads; null for the machine
	 * @param jitMicros CPU time of the compilers' threads since the first sample, in
	 * microseconds; null if they were not read
	 */
	public record Sample(Instant time, String process, long cpuMillis, @Nullable Long rssBytes,
			@Nullable Integer threads, @Nullable Long jitMicros) {

		/** The machine's name: all that used its CPU since boot. */
		public static final String MACHINE = "machine";

		/** Stands for all sampled processes together. */
		public static final String OWN = "own";

		/** A sample of which only the CPU time is known, in milliseconds. */
		public static Sample ofCpu(Instant time, String process, long cpuMillis) {
			return new Sample(time, process, cpuMillis, null, null, null);
		}

		Sample named(String name) {
			return new Sample(this.time, name, this.cpuMillis, this.rssBytes, this.threads, this.jitMicros);
		}

		private String line() {
			return Stream.of(this.time, this.process, this.cpuMillis, this.rssBytes, this.threads, this.jitMicros)
				.map((field) -> Objects.toString(field, ""))
				.collect(Collectors.joining(","));
		}

	}

}
