package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * What each test JVM does first and last. JUnit finds this class through
 * {@code META-INF/services}.
 * <p>
 * First it sets the deadlines: {@link #WAIT} for {@code Awaitility.await()}, and
 * {@link #TEST} for each method of a test, multiplied by {@link Patience}. They end
 * hangs: no test asserts them.
 * <p>
 * Last it writes what it cost: the file {@code target/cpu-seconds/PID} has the CPU
 * seconds of the JVM and of the processes that it started and whose end it saw. It writes
 * nothing where there is no {@code /proc} or no {@code target}.
 */
public final class TestJvm implements LauncherSessionListener {

	/** How long {@code await()} waits without {@code atMost}. */
	static final Duration WAIT = Duration.ofSeconds(60);

	/**
	 * How long a test, or a method that prepares it, may take without {@code @Timeout}.
	 */
	static final Duration TEST = Duration.ofMinutes(10);

	private static final String TIMEOUT = "junit.jupiter.execution.timeout.default";

	private static final Duration FIRST_POLL = Duration.ofMillis(1);

	private static final Duration LONGEST_POLL = Duration.ofMillis(64);

	private static final Path TARGET = Path.of("target");

	/** In {@code /proc/self/stat}, after the name: utime, stime, cutime, cstime. */
	private static final int FIRST_TIME = 11;

	private static final int TIMES = 4;

	/**
	 * Linux counts these in hundredths of a second, whatever the kernel's own clock is.
	 */
	private static final double TICKS_PER_SECOND = 100;

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(Patience.of(WAIT));
		Awaitility.setDefaultPollDelay(FIRST_POLL);
		Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(
				(interval) -> (interval.compareTo(LONGEST_POLL) < 0) ? interval.multipliedBy(2) : interval,
				FIRST_POLL));
		if (System.getProperty(TIMEOUT) == null) {
			System.setProperty(TIMEOUT, Patience.of(TEST).toSeconds() + " s");
		}
	}

	@Override
	public void launcherSessionClosed(LauncherSession session) {
		try {
			String stat = Files.readString(Path.of("/proc/self/stat"));
			if (Files.isDirectory(TARGET)) {
				Path account = Files.createDirectories(TARGET.resolve("cpu-seconds"));
				Files.writeString(account.resolve("" + ProcessHandle.current().pid()), cpuSeconds(stat) + "\n");
			}
		}
		catch (IOException _) {
			// The account is for people who ask what the tests cost: no test fails by it.
		}
	}

	/** The CPU seconds in a line of {@code /proc/PID/stat}. */
	static double cpuSeconds(String stat) {
		// The name may have spaces and parentheses.
		return Stream.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "))
			.skip(FIRST_TIME)
			.limit(TIMES)
			.mapToLong(Long::parseLong)
			.sum() / TICKS_PER_SECOND;
	}

}
