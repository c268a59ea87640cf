package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.kit.result.RunResult.Environment;

import static java.lang.management.ManagementFactory.getPlatformMXBean;

/** Determines the environment of a run. */
public final class EnvironmentProbe {

	private EnvironmentProbe() {
	}

	/** The machine's physical memory, or the limit of a container. */
	public static long memoryBytes() {
		return getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
	}

	/**
	 * The environment.
	 * @param checkout directory in which to call git
	 */
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

}
