package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.stack.LabException;

import static java.lang.management.ManagementFactory.getPlatformMXBean;

/** Determines the environment of a run, and whether others use the machine. */
public final class EnvironmentProbe {

	/** Programs that work every few seconds are seen, too. */
	private static final Duration LOOK = Duration.ofSeconds(5);

	private EnvironmentProbe() {
	}

	/** The machine's physical memory, or the limit of a container. */
	public static long memoryBytes() {
		return getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
	}

	/** The environment of a run in a checkout, whose commit git tells. */
	static Environment probe(Path checkout, Infrastructure infrastructure) {
		String sha = git(checkout, "rev-parse", "HEAD");
		return new Environment(Runtime.getRuntime().availableProcessors(), memoryBytes(), cpu(),
				System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
						+ System.getProperty("os.arch"),
				"%s %s %s"
					.formatted(System.getProperty("java.vendor.version", ""),
							System.getProperty("java.runtime.version"), JavaProcess.inheritedOptions())
					.strip(),
				infrastructure.name().toLowerCase(Locale.ROOT), sha.isEmpty() ? "unknown" : sha,
				!git(checkout, "status", "--porcelain").isEmpty());
	}

	private static String cpu() {
		try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
			return lines.filter((line) -> line.startsWith("model name"))
				.findFirst()
				.map((line) -> line.substring(line.indexOf(':') + 1).trim())
				.orElse("unknown");
		}
		catch (IOException _) {
			return "unknown";
		}
	}

	/** The trimmed output; empty if there is no git or no checkout. */
	private static String git(Path checkout, String... arguments) {
		try {
			Process git = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(arguments)).toList())
				.directory(checkout.toFile())
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
			String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
			return (git.waitFor() == 0) ? output : "";
		}
		catch (IOException _) {
			return "";
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return "";
		}
	}

	/**
	 * Looks for 5 s.
	 * @return the share of the machine's CPU that other processes used, 0 to 1; below 0
	 * if it is not known
	 */
	public static double foreignCpuShare() throws InterruptedException {
		OperatingSystemMXBean system = getPlatformMXBean(OperatingSystemMXBean.class);
		// Both count from the call before.
		system.getCpuLoad();
		system.getProcessCpuLoad();
		Thread.sleep(LOOK);
		double all = system.getCpuLoad();
		return (all < 0) ? all : Math.max(0, all - Math.max(0, system.getProcessCpuLoad()));
	}

	/**
	 * Looks, and says what it finds.
	 * @param force whether to go on with a busy machine
	 * @throws LabException if the machine is busy, unless forced
	 */
	public static void checkIdle(Progress progress, boolean force) throws InterruptedException {
		progress.step("Looking for %s s whether anything else uses this machine".formatted(LOOK.toSeconds()));
		checkIdle(foreignCpuShare(), progress, force);
	}

	static void checkIdle(double foreignCpuShare, Progress progress, boolean force) {
		if (!Reliability.disturbed(foreignCpuShare)) {
			return;
		}
		String busy = "other processes use %s of the machine's CPU, more than %s makes each figure unreliable"
			.formatted(Figures.percent(foreignCpuShare), Figures.percent(Reliability.FOREIGN_CPU_LIMIT));
		if (!force) {
			throw new LabException(busy + ": end them, or measure anyway with --force");
		}
		progress.step(busy);
	}

}
