package dev.sluice.devservices;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets the deadlines of tests, once in each test JVM: {@link #WAIT} for
 * {@code Awaitility.await()}, and {@link #TEST} for each method of a test, multiplied by
 * {@link Patience}. They end hangs: no test asserts them. JUnit finds this class through
 * {@code META-INF/services}. It is not used outside of tests.
 */
public final class TestDeadlines implements LauncherSessionListener {

	/** How long {@code await()} waits without {@code atMost}. */
	static final Duration WAIT = Duration.ofSeconds(60);

	/**
	 * How long a test, or a method that prepares it, may take without {@code @Timeout}.
	 */
	static final Duration TEST = Duration.ofMinutes(10);

	private static final String TIMEOUT = "junit.jupiter.execution.timeout.default";

	private static final Duration FIRST_POLL = Duration.ofMillis(1);

	private static final Duration LONGEST_POLL = Duration.ofMillis(100);

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(Patience.of(WAIT));
		Awaitility.setDefaultPollDelay(FIRST_POLL);
		Awaitility.setDefaultPollInterval(IterativePollInterval.iterative((interval) -> {
			Duration next = interval.multipliedBy(2);
			return (next.compareTo(LONGEST_POLL) < 0) ? next : LONGEST_POLL;
		}, FIRST_POLL));
		if (System.getProperty(TIMEOUT) == null) {
			System.setProperty(TIMEOUT, Patience.of(TEST).toSeconds() + " s");
		}
	}

}
