package dev.sluice.devservices;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/**
 * A container of one server, which can be closed while it starts.
 *
 * @param <C> of this kind
 */
final class Container<C extends GenericContainer<?>> implements AutoCloseable {

	private final String name;

	private final int innerPort;

	private final int outerPort;

	private final Supplier<C> factory;

	private volatile @Nullable C container;

	private volatile boolean closed;

	/**
	 * Starts nothing, and does not touch the engine.
	 * @param outerPort 0 takes a free one
	 */
	Container(String name, int innerPort, int outerPort, Supplier<C> factory) {
		this.name = name;
		this.innerPort = innerPort;
		this.outerPort = outerPort;
		this.factory = factory;
	}

	void start() {
		Ports.requireFree(this.outerPort, this.name);
		C created = this.factory.get();
		this.container = created;
		try {
			created.setPortBindings(List.of(binding()));
			created.start();
		}
		catch (RuntimeException ex) {
			created.stop();
			throw new StartFailedException("%s does not start in a container (%s): %s".formatted(this.name,
					created.getDockerImageName(), ex.getMessage()), ex);
		}
		if (this.closed) {
			created.stop();
			throw new StartFailedException("%s was stopped while it started".formatted(this.name));
		}
	}

	/** On the loopback interface, unless the engine is on another machine. */
	private String binding() {
		String host = DockerClientFactory.instance().dockerHostIpAddress();
		String address = (host.equals("localhost") || host.startsWith("127.")) ? "127.0.0.1:" : "";
		return "%s%s:%d".formatted(address, (this.outerPort != 0) ? this.outerPort : "", this.innerPort);
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
			started.stop();
		}
	}

}
