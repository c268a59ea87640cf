package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.lab.kit.result.RunResult.Environment;
import io.gatling.commons.util.GatlingVersion;

import static java.lang.management.ManagementFactory.getPlatformMXBean;

/** Determines the environment of a run. */
public final class EnvironmentProbe {

	/** A library in an executable jar, whose name ends with its version. */
	private static final Pattern LIBRARY = Pattern.compile("BOOT-INF/lib/(.+?)-(\\d[^/]*)\\.jar");

	/** The libraries whose versions are reported. */
	private static final List<String> REPORTED = List.of("spring-boot", "spring-webmvc", "spring-webflux",
			"spring-kafka", "tomcat-embed-core", "reactor-core", "reactor-netty-http", "netty-transport",
			"kafka-clients", "httpclient5", "resilience4j-core", "micrometer-core", "postgresql", "r2dbc-postgresql");

	private static final long GIT_SECONDS = 5;

	private EnvironmentProbe() {
	}

	/** The machine's physical memory, or the limit of a container. */
	public static long memoryBytes() {
		return getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
	}

	/**
	 * The environment.
	 * @param checkout directory in which to call git
	 * @param jars the services' executable jars
	 * @throws IOException if a jar cannot be read
	 */
	static Environment probe(Path checkout, List<Path> jars, Infrastructure infrastructure) throws IOException {
		Map<String, String> versions = new TreeMap<>();
		versions.put("gatling", GatlingVersion.ThisVersion().fullVersion());
		for (Path jar : jars) {
			// A module that is not built is not measured.
			if (Files.exists(jar)) {
				versions.putAll(libraries(jar));
			}
		}
		String sha = git(checkout, "rev-parse", "HEAD");
		return new Environment(Runtime.getRuntime().availableProcessors(), memoryBytes(), cpu(),
				System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
						+ System.getProperty("os.arch"),
				"%s %s %s"
					.formatted(System.getProperty("java.vendor.version", ""),
							System.getProperty("java.runtime.version"), JavaProcess.inheritedOptions())
					.strip(),
				infrastructure.name().toLowerCase(Locale.ROOT), sha.isEmpty() ? "unknown" : sha,
				!git(checkout, "status", "--porcelain").isEmpty(), versions);
	}

	private static Map<String, String> libraries(Path jar) throws IOException {
		Map<String, String> versions = new TreeMap<>();
		try (JarFile file = new JarFile(jar.toFile())) {
			file.stream()
				.map((entry) -> LIBRARY.matcher(entry.getName()))
				.filter(Matcher::matches)
				.forEach((library) -> {
					if (REPORTED.contains(library.group(1))) {
						versions.put(library.group(1), library.group(2));
					}
				});
		}
		return versions;
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

	/** The trimmed output; empty if there is no git, no checkout or no answer in time. */
	private static String git(Path checkout, String... arguments) {
		try {
			Process git = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(arguments)).toList())
				.directory(checkout.toFile())
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
			String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
			if (!git.waitFor(GIT_SECONDS, TimeUnit.SECONDS)) {
				git.destroyForcibly();
				return "";
			}
			return (git.exitValue() == 0) ? output : "";
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
