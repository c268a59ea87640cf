package dev.sluice.devservices;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotModifiedException;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.WaitAllStrategy;

/**
 * A server in a container. It can be closed while it starts. A restart uses the same
 * container, so its files and its port stay.
 */
abstract class Container implements Server {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

	/** How long the engine may take to freeze a container. */
	private static final Duration FREEZE_TIMEOUT = Duration.ofMinutes(1);

	/** How long the engine may take to report that a container has ended. */
	private static final Duration END_TIMEOUT = Duration.ofMinutes(1);

	/** The time from SIGTERM to SIGKILL. */
	private static final int STOP_SECONDS = 20;

	private final String name;

	private final int innerPort;

	private final int wantedPort;

	/** 0 before the first start. */
	private volatile int port;

	private volatile @Nullable GenericContainer<?> container;

	private volatile boolean closed;

	private boolean frozen;

	/**
	 * Starts nothing and does not call the engine.
	 * @param port the port on the host; 0 picks a free one
	 */
	Container(String name, int innerPort, int port) {
		this.name = name;
		this.innerPort = innerPort;
		this.wantedPort = port;
	}

	/**
	 * Describes the container.
	 * @param port the port on the host
	 */
	abstract GenericContainer<?> create(int port);

	/** Whether the server answers now. */
	abstract boolean serves();

	@Override
	public String host() {
		return get().getHost();
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public void start() {
		GenericContainer<?> ended = this.container;
		if (ended == null) {
			startNew();
		}
		else {
			startAgain(ended);
		}
	}

	private void startNew() {
		Ports.requireFree(this.wantedPort, this.name);
		// Chosen here, because the engine would choose another one at each start.
		this.port = (this.wantedPort != 0) ? this.wantedPort : Ports.free();
		GenericContainer<?> created = create(this.port);
		this.container = created;
		try {
			created.setPortBindings(List.of(binding(created)));
			// Waits for nothing, because awaitServing does, after each start.
			created.setWaitStrategy(new WaitAllStrategy());
			created.start();
			awaitServing(created);
		}
		catch (RuntimeException ex) {
			// The next start begins anew, not with a container that never ran.
			this.container = null;
			// An interrupt would close the connection to the engine.
			boolean interrupted = Thread.interrupted();
			try {
				created.stop();
			}
			catch (RuntimeException stop) {
				ex.addSuppressed(stop);
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
			throw new StartFailedException("%s does not start in a container: %s".formatted(this.name, ex.getMessage()),
					ex);
		}
	}

	private void startAgain(GenericContainer<?> ended) {
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
		awaitServing(ended);
	}

	private void awaitServing(GenericContainer<?> started) {
		long deadline = System.nanoTime() + DevServices.startTimeout().toNanos();
		while (this.closed || !serves()) {
			if (this.closed) {
				throw new StartFailedException("%s was stopped while it started".formatted(this.name));
			}
			if (!started.isRunning()) {
				throw new StartFailedException("%s ended while it started:%n%s".formatted(this.name,
						started.getLogs().lines().reduce((_, line) -> line).orElse("(no log)")));
			}
			if (System.nanoTime() - deadline > 0) {
				throw new StartFailedException(
						"%s is not ready after %s s".formatted(this.name, DevServices.startTimeout().toSeconds()));
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
		GenericContainer<?> running = get();
		running.getDockerClient().killContainerCmd(running.getContainerId()).exec();
		running.getDockerClient()
			.waitContainerCmd(running.getContainerId())
			.start()
			.awaitStatusCode(Patience.of(END_TIMEOUT).toSeconds(), TimeUnit.SECONDS);
	}

	/** Sends SIGTERM to its first process, unless it has ended, and waits for the end. */
	@Override
	public void stop() {
		GenericContainer<?> running = get();
		try {
			running.getDockerClient().stopContainerCmd(running.getContainerId()).withTimeout(STOP_SECONDS).exec();
		}
		catch (NotModifiedException _) {
			// It has already ended.
		}
	}

	/** Freezes all of its processes, with the engine's freezer. */
	@Override
	public synchronized void freeze() {
		GenericContainer<?> running = get();
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
			GenericContainer<?> running = get();
			running.getDockerClient().unpauseContainerCmd(running.getContainerId()).exec();
			this.frozen = false;
		}
	}

	/** Binds the loopback interface, unless the engine is on another machine. */
	private String binding(GenericContainer<?> created) {
		String host = created.getHost();
		String address = (host.equals("localhost") || host.startsWith("127.")) ? "127.0.0.1:" : "";
		return "%s%s:%s".formatted(address, this.port, this.innerPort);
	}

	private GenericContainer<?> get() {
		GenericContainer<?> started = this.container;
		if (started == null) {
			throw new IllegalStateException("%s is not started".formatted(this.name));
		}
		return started;
	}

	@Override
	public void close() {
		this.closed = true;
		GenericContainer<?> started = this.container;
		if (started != null) {
			// A paused container cannot be stopped.
			unfreeze();
			started.stop();
		}
	}

}
