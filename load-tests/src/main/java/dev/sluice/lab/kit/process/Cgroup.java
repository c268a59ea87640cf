package dev.sluice.lab.kit.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The kernel's account of a container's CPU time: all of its processes, including those
 * that have ended.
 */
final class Cgroup {

	private static final String VERSION_2 = "usage_usec ";

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final long MICROS_PER_MILLI = 1_000;

	private final Path file;

	private Cgroup(Path file) {
		this.file = file;
	}

	/**
	 * The control group of a container. Empty if none is readable, or if it is also the
	 * group of this process, which would count much else.
	 * @param proc mount point of procfs
	 * @param sys mount point of the control groups
	 * @param pid the container's first process
	 */
	static Optional<Cgroup> of(Path proc, Path sys, long pid) {
		try {
			List<String> own = Files.readAllLines(proc.resolve("self/cgroup"));
			List<String> lines = Files.readAllLines(proc.resolve(Long.toString(pid)).resolve("cgroup"));
			return lines.stream()
				.filter((line) -> !own.contains(line))
				// Version 1 first: where both exist, the group of version 2 often has no
				// processes.
				.sorted((one, other) -> Boolean.compare(isVersion2(one), isVersion2(other)))
				.flatMap((line) -> files(sys, line).stream())
				.map(Cgroup::new)
				.filter((group) -> group.cpuMillis() != null)
				.findFirst();
		}
		catch (IOException _) {
			return Optional.empty();
		}
	}

	private static boolean isVersion2(String line) {
		return line.startsWith("0::");
	}

	/** The possible files for a line {@code hierarchy:controllers:path}. */
	private static List<Path> files(Path sys, String line) {
		String[] parts = line.split(":", 3);
		if (parts.length < 3 || parts[2].length() < 2) {
			return List.of(); // The root: the whole machine.
		}
		String path = parts[2].substring(1);
		if (isVersion2(line)) {
			return List.of(sys.resolve(path).resolve("cpu.stat"),
					sys.resolve("unified").resolve(path).resolve("cpu.stat"));
		}
		return List.of(parts[1].split(",")).contains("cpuacct")
				? List.of(sys.resolve(parts[1]).resolve(path).resolve("cpuacct.usage"),
						sys.resolve("cpuacct").resolve(path).resolve("cpuacct.usage"))
				: List.of();
	}

	/** Its CPU time since it began, in milliseconds; null if it is gone. */
	@Nullable Long cpuMillis() {
		try {
			String text = Files.readString(this.file);
			if (this.file.endsWith("cpuacct.usage")) {
				return Long.parseLong(text.strip()) / NANOS_PER_MILLI;
			}
			return text.lines()
				.filter((line) -> line.startsWith(VERSION_2))
				.map((line) -> Long.parseLong(line.substring(VERSION_2.length()).strip()) / MICROS_PER_MILLI)
				.findFirst()
				.orElse(null);
		}
		catch (IOException | NumberFormatException _) {
			return null;
		}
	}

}
