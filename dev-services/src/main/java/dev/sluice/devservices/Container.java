package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotModifiedException;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;

/**
 * A server in a container. It can be closed while it starts. A restart uses the same
 * container, so its files and its port stay.
 *
 * @param <C> the kind of container
 */
class Container<C extends GenericContainer<?>> implements Server {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

	/** How long the engine may take to freeze a container. */
	private static final Duration FREEZE_TIMEOUT = Duration.ofMinutes(1);

	/** How long the engine may take to report that a container has ended. */
	private static final Duration END_TIMEOUT = Duration.ofMinutes(1);

	/** The time from SIGTERM to SIGKILL. */
	private static final int STOP_SECONDS = 20;

	private final String name;

	private final int innerPort;

	private final int outerPort;

	private final Supplier<C> factory;

	private final Probe<C> probe;

	private volatile @Nullable C container;

	private volatile boolean closed;

	private boolean frozen;

	/** Checks whether a restarted server is ready. Must not throw. */
	@FunctionalInterface
	interface Probe<C> {

		boolean serves(C container);

	}

	/**
	 * Starts nothing and does not call the engine.
	 * @param outerPort the port on the host; 0 picks a free one
	 * @param probe checks whether a restarted server is ready
	 */
	Container(String name, int innerPort, int outerPort, Supplier<C> factory, Probe<C> probe) {
		this.name = name;
		this.innerPort = innerPort;
		this.outerPort = outerPort;
		this.factory = factory;
		this.probe = probe;
	}

	@Override
	public void start() {
		C ended = this.container;
		if (ended != null) {
			startAgain(ended);
			return;
		}
		Ports.requireFree(this.outerPort, this.name);
		C created = this.factory.get();
		this.container = created;
		try {
			created.setPortBindings(List.of(binding(created)));
			created.start();
		}
		catch (RuntimeException ex) {
			// The next start begins anew, not with a container that never ran.
			this.container = null;
			try {
				created.stop();
			}
			catch (RuntimeException stop) {
				ex.addSuppressed(stop);
			}
			throw new StartFailedException("%s does not start in a container: %s".formatted(this.name, ex.getMessage()),
					ex);
		}
		if (this.closed) {
			created.stop();
			throw new StartFailedException("%s was stopped while it started".formatted(this.name));
		}
	}

	private void startAgain(C ended) {
		try {
			ended.getDockerClient().startContainerCmd(ended.getContainerId()).exec();
		}
		catch (NotModifiedException _) {
			// It runs: an earlier start has failed because it was not ready in time.
		}
		catch (RuntimeException ex) {
			throw new StartFailedException(
					"%s does not start again in its container: %s".formatted(this.name, ex.getMessage()), ex);
		}
		long deadline = System.nanoTime() + DevServices.startTimeout().toNanos();
		while (!this.probe.serves(ended)) {
			if (this.closed) {
				throw new StartFailedException("%s was stopped while it started".formatted(this.name));
			}
			if (!ended.isRunning()) {
				throw new StartFailedException("%s ended when its container was started again:%n%s".formatted(this.name,
						ended.getLogs().lines().reduce((_, line) -> line).orElse("(no log)")));
			}
			if (System.nanoTime() - deadline > 0) {
				throw new StartFailedException("%s is not ready %s s after its container was started again"
					.formatted(this.name, DevServices.startTimeout().toSeconds()));
			}
			try {
				Thread.sleep(POLL_INTERVAL);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new StartFailedException("%s was interrupted while it started".formatted(this.name), ex);
			}
		}
	}

	@Override
	public void kill() {
		C running = get();
		running.getDockerClient().killContainerCmd(running.getContainerId()).exec();
		awaitEnd(running);
	}

	/** Sends SIGTERM to all of its processes but the first. */
	void terminate() {
		try {
			get().execInContainer("sh", "-c", "kill -TERM -1");
		}
		catch (IOException ex) {
			throw new UncheckedIOException("%s cannot be stopped".formatted(this.name), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("%s: interrupted while it was being stopped".formatted(this.name), ex);
		}
	}

	/** Sends SIGTERM to its first process, unless it has ended, and waits for the end. */
	@Override
	public void stop() {
		C running = get();
		try {
			running.getDockerClient().stopContainerCmd(running.getContainerId()).withTimeout(STOP_SECONDS).exec();
		}
		catch (NotModifiedException ex) {
			// It has already ended, for example by the signal of terminate().
			return;
		}
		awaitEnd(running);
	}

	private void awaitEnd(C ending) {
		ending.getDockerClient()
			.waitContainerCmd(ending.getContainerId())
			.start()
			.awaitStatusCode(Patience.of(END_TIMEOUT).toSeconds(), TimeUnit.SECONDS);
	}

	/** Freezes all of its processes, with the engine's freezer. */
	@Override
	public synchronized void freeze() {
		C running = get();
		requireFrozen(this.name, Patience.of(FREEZE_TIMEOUT),
				() -> running.getDockerClient().pauseContainerCmd(running.getContainerId()).exec());
		this.frozen = true;
	}

	/**
	 * Retries while the engine fails. A process that waits for its disk, such as a
	 * database in an fsync, cannot be frozen, and runc gives up after some 300 ms. It
	 * unfreezes the other processes then, so each attempt starts from the beginning.
	 * @param timeout how long to retry
	 * @param pause throws the exceptions of the engine's client
	 * @throws IllegalStateException if the engine still fails after the timeout, or the
	 * thread is interrupted
	 */
	static void requireFrozen(String name, Duration timeout, Runnable pause) {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (true) {
			try {
				pause.run();
				return;
			}
			catch (InternalServerErrorException ex) {
				if (System.nanoTime() - deadline > 0) {
					throw new IllegalStateException(
							"%s could not be frozen in %s s: %s".formatted(name, timeout.toSeconds(), ex.getMessage()),
							ex);
				}
			}
			try {
				Thread.sleep(POLL_INTERVAL);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("%s: interrupted while it was being frozen".formatted(name), ex);
			}
		}
	}

	@Override
	public synchronized void unfreeze() {
		if (this.frozen) {
			C running = get();
			running.getDockerClient().unpauseContainerCmd(running.getContainerId()).exec();
			this.frozen = false;
		}
	}

	/** Binds the loopback interface, unless the engine is on another machine. */
	private String binding(C created) {
		String host = created.getHost();
		String address = (host.equals("localhost") || host.startsWith("127.")) ? "127.0.0.1:" : "";
		// Chosen here, because the engine would choose another one at each start.
		return "%s%s:%s".formatted(address, (this.outerPort != 0) ? this.outerPort : Ports.free(), this.innerPort);
	}

	C get() {
		C started = this.container;
		if (started == null) {
			throw new IllegalStateException("%s is not started".formatted(this.name));
		}
		return started;
	}

	@Override
	public void close() {
		this.closed = true;
		C started = this.container;
		if (started != null) {
			// A paused container cannot be stopped.
			unfreeze();
			started.stop();
		}
	}

}
