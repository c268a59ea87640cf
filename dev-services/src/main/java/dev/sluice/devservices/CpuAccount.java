package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Writes what a test JVM cost: the file {@code target/cpu-seconds/PID} has the CPU
 * seconds of the JVM and of the processes that it started and whose end it saw. JUnit
 * finds this class through {@code META-INF/services}. Writes nothing where there is no
 * {@code /proc} or no {@code target}.
 */
public final class CpuAccount implements LauncherSessionListener {

	private static final Path TARGET = Path.of("target");

	/** In {@code /proc/self/stat}, after the name: utime, stime, cutime, cstime. */
	private static final int FIRST_TIME = 11;

	private static final int TIMES = 4;

	/**
	 * Linux counts these in hundredths of a second, whatever the kernel's own clock is.
	 */
	private static final double TICKS_PER_SECOND = 100;

	@Override
	public void launcherSessionClosed(LauncherSession session) {
		try {
			String stat = Files.readString(Path.of("/proc/self/stat"));
			if (Files.isDirectory(TARGET)) {
				Path account = Files.createDirectories(TARGET.resolve("cpu-seconds"));
				Files.writeString(account.resolve("" + ProcessHandle.current().pid()), seconds(stat) + "\n");
			}
		}
		catch (IOException _) {
			// The account is for people who ask what the tests cost: no test fails by it.
		}
	}

	/** The CPU seconds in a line of {@code /proc/PID/stat}. */
	static double seconds(String stat) {
		// The name may have spaces and parentheses.
		return Stream.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "))
			.skip(FIRST_TIME)
			.limit(TIMES)
			.mapToLong(Long::parseLong)
			.sum() / TICKS_PER_SECOND;
	}

}
