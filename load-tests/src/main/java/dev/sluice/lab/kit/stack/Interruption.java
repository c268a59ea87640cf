package dev.sluice.lab.kit.stack;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.sluice.devservices.Patience;

/**
 * Lets a run end cleanly when it is told to stop (Ctrl-C, SIGTERM, closing the terminal):
 * interrupts the thread that created it, and delays the exit of the JVM until that thread
 * has closed it or a deadline has passed.
 */
public final class Interruption implements AutoCloseable {

	/** Each of three groups of services takes up to 40 s to stop. */
	private static final Duration GRACE = Duration.ofSeconds(150);

	private final CountDownLatch closed = new CountDownLatch(1);

	private final int exitCode;

	private final Thread hook;

	private volatile boolean requested;

	/** Ends the JVM with exit code 1 if the run is told to stop: it is then partial. */
	public Interruption() {
		this(1);
	}

	/** Ends the JVM with this exit code if the run is told to stop. */
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
			// Bounded, so that the JVM ends even if the runner is stuck.
			this.closed.await(Patience.of(GRACE).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	/** Whether the run was told to stop. */
	public boolean isRequested() {
		return this.requested;
	}

	/** If the run was told to stop, ends the JVM and does not return. */
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
			// The shutdown has just begun: the hook must not wait.
			this.closed.countDown();
		}
	}

}
