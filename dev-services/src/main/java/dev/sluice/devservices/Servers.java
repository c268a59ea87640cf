package dev.sluice.devservices;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** The servers of one service, which start and end together. */
abstract class Servers implements AutoCloseable {

	final List<Breakable> servers;

	/** Starts nothing. */
	Servers(List<Breakable> servers) {
		this.servers = List.copyOf(servers);
	}

	/** Starts them in parallel: no broker is ready before most of them run. */
	void start() {
		all(Breakable::start);
	}

	@Override
	public void close() {
		all(Breakable::close);
	}

	/**
	 * The processes of this machine that serve it, without their children: for a
	 * container the first one of the container, and the proxy of its port. Empty if they
	 * are on another machine, or if the system has no {@code /proc}.
	 */
	public List<Long> processes() {
		return this.servers.stream().flatMap((server) -> server.processes().stream()).toList();
	}

	/**
	 * Does this to all servers in parallel, even if some fail, and throws the first
	 * failure. An interrupt of this thread interrupts all of them.
	 */
	private void all(Consumer<Breakable> action) {
		List<Future<?>> ended;
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			ended = this.servers.stream()
				.<Future<?>>map((server) -> executor.submit(() -> action.accept(server)))
				.toList();
		}
		for (Future<?> end : ended) {
			if (end.state() == Future.State.FAILED && end.exceptionNow() instanceof RuntimeException failure) {
				throw failure;
			}
		}
	}

}
