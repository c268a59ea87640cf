package dev.sluice.gateway;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.GatewayEdgeContract;
import dev.sluice.contract.OnlyThreads;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Each thread model in parallel with the others. In the gate, virtual threads run
 * everything. Nothing listens on port 1.
 */
class GatewayEdgeIT {

	static {
		// Tomcat logs only the first client each day that breaks the rules of HTTP. With
		// this setting it logs each.
		System.setProperty("org.apache.juli.logging.UserDataHelper.CONFIG", "INFO_ALL");
	}

	@Nested
	@OnlyThreads
	class PlatformThreads extends Edge {

		PlatformThreads() {
			super("platform");
		}

	}

	@Nested
	class VirtualThreads extends Edge {

		VirtualThreads() {
			super("virtual");
		}

	}

	@Nested
	@OnlyThreads
	class Async extends Edge {

		Async() {
			super("async");
		}

	}

	abstract static class Edge extends GatewayEdgeContract {

		private final String threads;

		private ConfigurableApplicationContext context;

		Edge(String threads) {
			this.threads = threads;
		}

		@Override
		protected URI start(Map<String, String> properties) {
			List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--management.server.port=0",
					"--sluice.threads=" + this.threads, "--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/sluice",
					"--spring.flyway.enabled=false"));
			properties.forEach((name, value) -> arguments.add("--" + name + "=" + value));
			this.context = SpringApplication.run(GatewayApplication.class, arguments.toArray(String[]::new));
			return uri("local.server.port");
		}

		@Override
		protected URI management() {
			return uri("local.management.port");
		}

		private URI uri(String port) {
			return URI.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty(port));
		}

		@Override
		protected void stop() {
			this.context.close();
		}

	}

}
