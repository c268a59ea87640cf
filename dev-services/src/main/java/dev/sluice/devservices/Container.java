package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotModifiedException;
import org.rnorth.ducttape.unreliables.Unreliables;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.WaitAllStrategy;

/**
 * A server in a container. It can be closed while it starts. A restart uses the same
 * container, so its files and its port stay.
 */
final class Container implements Breakable {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

	/** How long the engine may take to freeze a container. */
	private static final Duration FREEZE_TIMEOUT = Duration.ofMinutes(1);

	/** How long the engine may take to report that a container has ended. */
	private static final Duration END_TIMEOUT = Duration.ofMinutes(1);

	/** The time from SIGTERM to SIGKILL. */
	private static final int STOP_SECONDS = 20;

	private final String name;

	private final GenericContainer<?> container;

	private final int port;

	private final BooleanSupplier serves;

	private volatile boolean closed;

	private boolean frozen;

	/**
	 * Starts nothing.
	 * @param port the port on the host: the engine would choose another one at each start
	 * @param serves whether the server answers now
	 */
	Container(String name, GenericContainer<?> container, int innerPort, int port, BooleanSupplier serves) {
		this.name = name;
		this.container = container;
		this.port = port;
		this.serves = serves;
		// Binds the loopback interface, unless the engine is on another machine.
		String host = container.getHost();
		String address = (host.equals("localhost") || host.startsWith("127.")) ? "127.0.0.1:" : "";
		container.setPortBindings(List.of("%s%s:%s".formatted(address, port, innerPort)));
		// Waits for nothing, because awaitServing does, after each start.
		container.setWaitStrategy(new WaitAllStrategy());
	}

	@Override
	public List<Long> processes() {
		Long own = engine().inspectContainerCmd(this.container.getContainerId()).exec().getState().getPidLong();
		return Stream
			.concat(Ports.holder(this.port).map(ProcessHandle::pid).stream(),
					Stream.ofNullable(own).filter(this::isOfContainer))
			.toList();
	}

	/** Rules out a process of a virtual machine, and another one of this machine. */
	private boolean isOfContainer(long pid) {
		try {
			return Files.readString(Path.of("/proc", Long.toString(pid), "cgroup"))
				.contains(this.container.getContainerId());
		}
		catch (IOException _) {
			return false;
		}
	}

	@Override
	public void start() {
		String id = this.container.getContainerId();
		try {
			if (id == null) {
				this.container.start();
			}
			else {
				engine().startContainerCmd(id).exec();
			}
		}
		catch (NotModifiedException _) {
			// It runs: an earlier start has failed because it was not ready in time.
		}
		catch (RuntimeException ex) {
			throw new StartFailedException("%s does not start in a container: %s".formatted(this.name, ex.getMessage()),
					ex);
		}
		awaitServing();
	}

	private void awaitServing() {
		long deadline = System.nanoTime() + DevServices.startTimeout().toNanos();
		while (this.closed || !this.serves.getAsBoolean()) {
			if (this.closed) {
				throw new StartFailedException("%s was stopped while it started".formatted(this.name));
			}
			if (!this.container.isRunning()) {
				throw new StartFailedException("%s ended while it started:%n%s".formatted(this.name,
						this.container.getLogs().lines().reduce((_, line) -> line).orElse("(no log)")));
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
		engine().killContainerCmd(this.container.getContainerId()).exec();
		engine().waitContainerCmd(this.container.getContainerId())
			.start()
			.awaitStatusCode(Patience.of(END_TIMEOUT).toSeconds(), TimeUnit.SECONDS);
	}

	/** Sends SIGTERM to its first process, unless it has ended, and waits for the end. */
	@Override
	public void stop() {
		try {
			engine().stopContainerCmd(this.container.getContainerId()).withTimeout(STOP_SECONDS).exec();
		}
		catch (NotModifiedException _) {
			// It has already ended.
		}
	}

	/**
	 * Freezes all of its processes, with the engine's freezer. Retries while that fails:
	 * a process that waits for its disk, such as a database in an fsync, cannot be
	 * frozen, and runc gives up after some 300 ms. It unfreezes the other processes then,
	 * so each attempt starts from the beginning.
	 */
	@Override
	public synchronized void freeze() {
		Unreliables.retryUntilSuccess((int) Patience.of(FREEZE_TIMEOUT).toSeconds(), TimeUnit.SECONDS,
				() -> engine().pauseContainerCmd(this.container.getContainerId()).exec());
		this.frozen = true;
	}

	@Override
	public void unfreeze() {
		resume();
		awaitServing();
	}

	private synchronized void resume() {
		if (this.frozen) {
			engine().unpauseContainerCmd(this.container.getContainerId()).exec();
			this.frozen = false;
		}
	}

	private DockerClient engine() {
		return this.container.getDockerClient();
	}

	@Override
	public void close() {
		this.closed = true;
		// A paused container cannot be stopped.
		resume();
		// In another thread: an interrupt would close the connection to the engine.
		CompletableFuture.runAsync(this.container::stop).join();
	}

}
