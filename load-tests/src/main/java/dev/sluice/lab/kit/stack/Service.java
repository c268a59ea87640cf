package dev.sluice.lab.kit.stack;

import java.net.URI;

import dev.sluice.devservices.JavaProcess;

/**
 * A running service.
 *
 * @param module what it is
 * @param name the module's, or the variant's for a gateway
 * @param uri where it serves HTTP, without a path
 * @param management where it serves health and metrics: the same, unless they have a port
 * of their own
 * @param process its JVM, which can be killed and started again
 */
public record Service(Module module, String name, URI uri, URI management,
		JavaProcess process) implements AutoCloseable {

	/** Its metrics in Prometheus's text format. */
	public URI metrics() {
		return this.management.resolve("/actuator/prometheus");
	}

	public long pid() {
		return this.process.pid();
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/** Stops it for good: SIGTERM, then SIGKILL. It has ended when this returns. */
	@Override
	public void close() {
		this.process.close();
	}

}
