package dev.sluice.lab.kit.stack;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Lets a run end well when it is told to stop (Ctrl-C, SIGTERM, the terminal is closed):
 * the thread that opened this is interrupted, and the JVM does not end before that thread
 * has closed it or a deadline has passed.
 */
public final class Interruption implements AutoCloseable {

	/** Each of three groups of services takes up to 40 s to stop. */
	private static final Duration GRACE = Duration.ofSeconds(150);

	private static final int FAILED = 1;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final int exitCode;

	private final Thread hook;

	private volatile boolean requested;

	/** For a run that is partial if it is stopped: exit code 1. */
	public Interruption() {
		this(FAILED);
	}

	/**
	 * @param exitCode of the JVM if it is told to stop
	 */
	public Interruption(int exitCode) {
		this.exitCode = exitCode;
		Thread runner = Thread.currentThread();
		this.hook = Thread.ofPlatform().name("interruption").unstarted(() -> stop(runner));
		Runtime.getRuntime().addShutdownHook(this.hook);
	}

	private void stop(Thread runner) {
		this.requested = true;
		runner.interrupt();
		try {
			// Bounded: whatever the runner is stuck in, the JVM ends.
			this.closed.await(GRACE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	/** Whether the run was told to stop. */
	public boolean isRequested() {
		return this.requested;
	}

	/** Why the run is not whole; null if nobody told it to stop. */
	public @Nullable String reason() {
		return this.requested ? "interrupted" : null;
	}

	/** Lets the JVM end, if it is to end; does not return then. */
	@Override
	public void close() {
		if (this.requested) {
			System.out.flush();
			System.err.flush();
			this.closed.countDown();
			Runtime.getRuntime().halt(this.exitCode);
		}
		try {
			Runtime.getRuntime().removeShutdownHook(this.hook);
		}
		catch (IllegalStateException _) {
			// It has begun this moment and will wait for no one.
			this.closed.countDown();
		}
	}

}
