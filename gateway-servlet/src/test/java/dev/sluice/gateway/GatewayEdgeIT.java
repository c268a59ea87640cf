package dev.sluice.gateway;

import java.util.List;

import dev.sluice.contract.GatewayEdgeContract;
import dev.sluice.contract.OnlyThreads;
import org.junit.jupiter.api.Nested;

/**
 * Each thread model in parallel with the others. In the gate, virtual threads run
 * everything.
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

		Edge(String threads) {
			this.threads = threads;
		}

		@Override
		protected Class<?>[] application() {
			return new Class<?>[] { GatewayApplication.class };
		}

		@Override
		protected List<String> arguments() {
			return List.of("--sluice.threads=" + this.threads,
					"--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/sluice");
		}

	}

}
