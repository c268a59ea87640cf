package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sluice.lab.kit.measure.ProcessSamples.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Reads CPU time, resident memory and thread count of some processes, children included,
 * and the CPU time of the whole machine, from procfs every {@link #INTERVAL}, and the
 * open connections that they accepted once a second, on a thread of its own, and appends
 * them to a CSV file as they come. A sampling that fails is noted in the samples and in
 * the file, and the next is tried. On a system without procfs it samples nothing.
 */
public final class ProcessSampler implements AutoCloseable {

	/** The sampling interval; what is shorter cannot be measured by it. */
	public static final Duration INTERVAL = Duration.ofMillis(200);

	/**
	 * A clock tick of procfs in milliseconds: 100 a second on every Linux that Java runs
	 * on.
	 */
	private static final int TICK_MILLIS = 10;

	/** The kernel writes its table of connections anew for each reader. */
	private static final int CONNECTIONS_EACH = 5;

	/** Half an hour of samplings; later failures are noted in the file only. */
	private static final int MOST_FAILURES = 10_000;

	private final Path proc;

	private final Map<String, Long> pids;

	private final Map<String, Integer> ports;

	private final @Nullable PrintWriter file;

	private final List<ProcessSample> samples = new ArrayList<>();

	private final List<MachineSample> machine = new ArrayList<>();

	private final List<Failure> failures = new ArrayList<>();

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("process-sampler").factory());

	/** On the sampling thread. */
	private int samplings;

	/**
	 * Starts to sample, without connections.
	 * @param pids the processes by the name they have in the results
	 * @param file where the samples go, created anew
	 * @throws IOException if the file cannot be written
	 */
	public ProcessSampler(Map<String, Long> pids, Path file) throws IOException {
		this(pids, Map.of(), file);
	}

	/**
	 * Starts to sample.
	 * @param pids the processes by the name they have in the results
	 * @param ports where those of them listen whose connections are counted
	 * @param file where the samples go, created anew
	 * @throws IOException if the file cannot be written
	 */
	public ProcessSampler(Map<String, Long> pids, Map<String, Integer> ports, Path file) throws IOException {
		this(pids, ports, file, Path.of("/proc"));
	}

	ProcessSampler(Map<String, Long> pids, Map<String, Integer> ports, Path file, Path proc) throws IOException {
		this.proc = proc;
		this.pids = Map.copyOf(pids);
		this.ports = Map.copyOf(ports);
		if (!Files.isReadable(this.proc.resolve("stat"))) {
			this.file = null;
			return;
		}
		this.file = new PrintWriter(Files.newBufferedWriter(file));
		this.file.println("time,process,cpu_ms,rss_bytes,threads,connections");
		this.executor.scheduleAtFixedRate(this::sample, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** An executor drops a task that throws, without a word. */
	private void sample() {
		PrintWriter out = this.file;
		if (out == null) {
			return;
		}
		Instant now = Instant.now();
		try {
			sample(now, out);
			if (out.checkError()) {
				throw new IllegalStateException("the samples cannot be written");
			}
		}
		catch (RuntimeException | Error ex) {
			out.println("# %s failed: %s".formatted(now, ex));
			add(new Failure(now, ex.toString()));
		}
	}

	private void sample(Instant now, PrintWriter out) {
		ConnectionTable connections = connections();
		long ownMillis = 0;
		for (Map.Entry<String, Long> entry : this.pids.entrySet()) {
			ProcessSample sample = readProcess(now, entry.getKey(), entry.getValue());
			if (sample != null) {
				Integer port = this.ports.get(entry.getKey());
				sample = (connections != null && port != null) ? sample.with(connections.acceptedAt(port)) : sample;
				ownMillis += sample.cpuMillis();
				add(sample);
				Integer open = sample.connections();
				out.println(String.join(",", now.toString(), sample.process(), Long.toString(sample.cpuMillis()),
						Long.toString(sample.rssBytes()), Integer.toString(sample.threads()),
						(open != null) ? open.toString() : ""));
			}
		}
		MachineSample whole = readMachine(now, ownMillis);
		if (whole != null) {
			add(whole);
			out.println(String.join(",", now.toString(), "machine", Long.toString(whole.busyMillis()), "", "", ""));
		}
	}

	/** Null if it is not their turn. */
	private @Nullable ConnectionTable connections() {
		boolean isTurn = this.samplings++ % CONNECTIONS_EACH == 0;
		try {
			return (isTurn && !this.ports.isEmpty()) ? ConnectionTable.read(this.proc.resolve("net")) : null;
		}
		catch (IOException _) {
			return null;
		}
	}

	private synchronized void add(ProcessSample sample) {
		this.samples.add(sample);
	}

	private synchronized void add(MachineSample sample) {
		this.machine.add(sample);
	}

	private synchronized void add(Failure failure) {
		if (this.failures.size() < MOST_FAILURES) {
			this.failures.add(failure);
		}
	}

	/** What has been sampled so far. */
	public synchronized ProcessSamples samples() {
		return new ProcessSamples(this.samples, this.machine, this.failures);
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
		try {
			if (!this.executor.awaitTermination(5, TimeUnit.SECONDS)) {
				throw new IllegalStateException("The process sampler did not end within 5 s");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		if (this.file != null) {
			this.file.close();
		}
	}

	/** Null if the process is gone. */
	private @Nullable ProcessSample readProcess(Instant now, String name, long pid) {
		try {
			Path process = this.proc.resolve(Long.toString(pid));
			String stat = Files.readString(process.resolve("stat"));
			// The command may hold spaces and parentheses: fields count from after it.
			String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
			long ticks = 0;
			for (int i = 11; i <= 14; i++) {
				// User and system time, its own and that of children that have ended.
				ticks += Long.parseLong(fields[i]);
			}
			ProcessSample sample = new ProcessSample(now, name, ticks * TICK_MILLIS, residentBytes(process),
					Integer.parseInt(fields[17]), null);
			for (long child : children(process, pid)) {
				ProcessSample own = this.pids.containsValue(child) ? null : readProcess(now, name, child);
				sample = (own != null) ? sample.plus(own) : sample;
			}
			return sample;
		}
		catch (IOException | ArrayIndexOutOfBoundsException ex) {
			return null;
		}
	}

	/**
	 * Children of the main thread: a JVM's other threads have none here, PostgreSQL has
	 * no other threads.
	 */
	private static List<Long> children(Path process, long pid) {
		try {
			String children = Files.readString(process.resolve("task/" + pid + "/children")).trim();
			return children.isEmpty() ? List.of() : Stream.of(children.split(" ")).map(Long::valueOf).toList();
		}
		catch (IOException ex) {
			return List.of(); // It has ended, or the kernel does not tell.
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

	private @Nullable MachineSample readMachine(Instant now, long ownMillis) {
		try (var lines = Files.lines(this.proc.resolve("stat"))) {
			String[] fields = lines.findFirst().orElseThrow().trim().split(" +");
			long busy = 0;
			for (int i = 1; i <= 8 && i < fields.length; i++) {
				// Fields 4 and 5 are idle and waiting for I/O.
				busy += (i == 4 || i == 5) ? 0 : Long.parseLong(fields[i]);
			}
			return new MachineSample(now, busy * TICK_MILLIS, ownMillis);
		}
		catch (IOException ex) {
			return null;
		}
	}

	/**
	 * A process at a time.
	 *
	 * @param time when
	 * @param process its name
	 * @param cpuMillis CPU time since it began
	 * @param rssBytes resident memory; of a process with children, what they share is
	 * counted for each
	 * @param threads operating-system threads
	 * @param connections open ones that it accepted; null if not counted this time
	 */
	record ProcessSample(Instant time, String process, long cpuMillis, long rssBytes, int threads,
			@Nullable Integer connections) {

		ProcessSample plus(ProcessSample other) {
			return new ProcessSample(this.time, this.process, this.cpuMillis + other.cpuMillis,
					this.rssBytes + other.rssBytes, this.threads + other.threads, this.connections);
		}

		ProcessSample with(int open) {
			return new ProcessSample(this.time, this.process, this.cpuMillis, this.rssBytes, this.threads, open);
		}

	}

	/**
	 * The machine at a time.
	 *
	 * @param time when
	 * @param busyMillis CPU time of all since it began, idle time left out
	 * @param ownMillis that of the sampled processes
	 */
	record MachineSample(Instant time, long busyMillis, long ownMillis) {
	}

}
