package dev.sluice.threads;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Runs what a service must do again and again, so that no unexpected exception ends it
 * for good. Each one is counted, and the work goes on. The first of a kind is logged as
 * an error, until the work has succeeded again. Down while work fails; that belongs to
 * neither liveness nor readiness: it goes on by itself, and the service answers without
 * it.
 */
public final class Supervisor implements HealthIndicator {

	private static final Logger logger = LoggerFactory.getLogger(Supervisor.class);

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

	/** What failed last of the work that has not succeeded since, by its name. */
	private final Map<String, String> failing = new ConcurrentHashMap<>();

	private final Consumer<String> failed;

	private final Duration firstPause;

	/**
	 * @param failed called with the name of the work after each failure
	 */
	public Supervisor(Consumer<String> failed) {
		this(failed, FIRST_PAUSE);
	}

	Supervisor(Consumer<String> failed, Duration firstPause) {
		this.failed = failed;
		this.firstPause = firstPause;
	}

	/** A part of the work of a thread. */
	@FunctionalInterface
	public interface Step {

		/**
		 * @return how long to wait before the next step
		 * @throws InterruptedException to end the thread
		 */
		Duration run() throws InterruptedException;

	}

	/**
	 * Starts a daemon thread that runs a step again and again until it is interrupted.
	 * After a failure the next step follows a second later, and later each time it fails
	 * again: after 30 s at most.
	 * @param name the name of the work, and of the thread
	 */
	public Thread start(String name, Step step) {
		return Thread.ofPlatform().daemon().name(name).start(() -> repeat(name, step));
	}

	private void repeat(String name, Step step) {
		Duration pause = this.firstPause;
		try {
			while (true) {
				Duration next;
				try {
					next = step.run();
					succeeded(name);
					pause = this.firstPause;
				}
				catch (RuntimeException | Error ex) {
					if (Thread.currentThread().isInterrupted()) {
						return;
					}
					failed(name, ex);
					next = pause;
					pause = Duration.ofMillis(Math.min(2 * pause.toMillis(), MAX_PAUSE.toMillis()));
				}
				Thread.sleep(next);
			}
		}
		catch (InterruptedException ex) {
			logger.debug("{} has ended", name);
		}
		finally {
			this.failing.remove(name);
		}
	}

	/**
	 * Returns a task that never throws, for an executor that would not run it again after
	 * an exception.
	 */
	public Runnable guard(String name, Runnable task) {
		return () -> {
			try {
				task.run();
				succeeded(name);
			}
			catch (RuntimeException | Error ex) {
				failed(name, ex);
			}
		};
	}

	private void failed(String name, Throwable failure) {
		// Clients may see the health: no message, which may hold an address.
		String what = failure.getClass().getSimpleName();
		if (!what.equals(this.failing.put(name, what))) {
			logger.error("{} has failed and is tried again", name, failure);
		}
		this.failed.accept(name);
	}

	/** Called by a step that goes on for long, when a part of it has succeeded. */
	public void succeeded(String name) {
		if (this.failing.remove(name) != null) {
			logger.info("{} works again", name);
		}
	}

	/** The details are the work whose last run failed, and the class of its exception. */
	@Override
	public Health health() {
		Map<String, String> now = new TreeMap<>(this.failing);
		return (now.isEmpty() ? Health.up() : Health.down()).withDetails(now).build();
	}

}
