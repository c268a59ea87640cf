package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.stack.LabException;

/**
 * Cores that the load generator has for itself. Everything else that the lab starts has
 * the others, because a process inherits the affinity of the thread that starts it. Java
 * cannot set affinities, so {@code taskset} does.
 *
 * @param generator the load generator's
 * @param others those of the lab and of all that it starts
 */
public record Pin(List<Integer> generator, List<Integer> others) {

	/** The generator has one core of this many, and at least one. */
	private static final int SHARE = 4;

	private static final Path STATUS = Path.of("/proc/self/status");

	private static final String ALLOWED = "Cpus_allowed_list:";

	private static final long TIMEOUT_SECONDS = 10;

	public Pin {
		generator = List.copyOf(generator);
		others = List.copyOf(others);
	}

	/** Lasts until it is closed. */
	@FunctionalInterface
	public interface Confinement extends AutoCloseable {

		@Override
		void close();

	}

	/**
	 * Shares the cores that this process may use.
	 * @throws IllegalArgumentException if there is no core to spare, or the system cannot
	 * set affinities
	 */
	public static Pin ofThisProcess() {
		try (var lines = Files.lines(STATUS)) {
			String allowed = lines.filter((line) -> line.startsWith(ALLOWED)).findFirst().orElseThrow();
			run("-V");
			return of(cores(allowed.substring(ALLOWED.length()).strip()));
		}
		catch (IOException | LabException ex) {
			throw new IllegalArgumentException(
					"--pin needs Linux and its command taskset (util-linux): " + ex.getMessage(), ex);
		}
	}

	static Pin of(List<Integer> cores) {
		if (cores.size() < 2) {
			throw new IllegalArgumentException(
					"--pin needs two cores, one of them for the load generator; this process may use one");
		}
		int generator = Math.max(1, cores.size() / SHARE);
		return new Pin(cores.subList(cores.size() - generator, cores.size()),
				cores.subList(0, cores.size() - generator));
	}

	/** The cores in a list of the kernel's, such as {@code 0-2,5}. */
	static List<Integer> cores(String list) {
		List<Integer> cores = new ArrayList<>();
		for (String part : list.split(",")) {
			String[] ends = part.split("-");
			IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
				.forEach(cores::add);
		}
		return cores;
	}

	/** The number of cores. */
	public int cores() {
		return this.generator.size() + this.others.size();
	}

	/** The prefix that runs the load generator's command on its cores. */
	List<String> command() {
		return List.of("taskset", "-c", list(this.generator));
	}

	/**
	 * Confines this process, and processes that it starts in the meantime, to the others'
	 * cores.
	 * @throws LabException if that fails
	 */
	public Confinement confine() {
		confine(this.others);
		return () -> confine(IntStream
			.concat(this.others.stream().mapToInt(Integer::intValue),
					this.generator.stream().mapToInt(Integer::intValue))
			.boxed()
			.toList());
	}

	private static void confine(List<Integer> cores) {
		run("-a", "-c", "-p", list(cores), Long.toString(ProcessHandle.current().pid()));
	}

	private static String list(List<Integer> cores) {
		return cores.stream().map(String::valueOf).collect(Collectors.joining(","));
	}

	private static void run(String... arguments) {
		List<String> command = new ArrayList<>(List.of("taskset"));
		command.addAll(List.of(arguments));
		try {
			Process taskset = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			if (!taskset.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || taskset.exitValue() != 0) {
				taskset.destroyForcibly();
				throw new LabException("'%s' fails: %s".formatted(String.join(" ", command), output));
			}
		}
		catch (IOException ex) {
			throw new LabException("'taskset' cannot be executed: " + ex.getMessage(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("Interrupted while cores were assigned", ex);
		}
	}

	/** In words, for the configuration of a run. */
	public String words() {
		return "load generator on %s, all else on %s; the machine's CPU that bounds a cell is that of the latter"
			.formatted(list(this.generator), list(this.others));
	}

}
