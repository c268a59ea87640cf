package dev.sluice.contract;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A gateway that a test starts and stops, on free ports, without Kafka and PostgreSQL:
 * nothing listens on port 1.
 */
abstract class StartedGateway {

	private ConfigurableApplicationContext context;

	/** The classes of its application. */
	protected abstract Class<?>[] application();

	/** What only this gateway needs, each as {@code --name=value}. */
	protected abstract List<String> arguments();

	/**
	 * Starts it.
	 * @param properties properties in addition to its defaults
	 * @return the address of its API
	 */
	final URI start(Map<String, String> properties) {
		List<String> all = new ArrayList<>(List.of("--server.port=0", "--management.server.port=0",
				"--spring.kafka.bootstrap-servers=127.0.0.1:1", "--spring.flyway.enabled=false"));
		all.addAll(arguments());
		properties.forEach((name, value) -> all.add("--%s=%s".formatted(name, value)));
		this.context = SpringApplication.run(application(), all.toArray(String[]::new));
		return uri("local.server.port");
	}

	/** The address of its health and metrics. */
	final URI management() {
		return uri("local.management.port");
	}

	private URI uri(String port) {
		return URI.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty(port));
	}

	/** Stops it, as SIGTERM does; returns when it has stopped. */
	final void stop() {
		this.context.close();
	}

}
