package dev.sluice.gateway;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.GatewayEdgeContract;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;

/** Nothing listens on port 1. */
class GatewayEdgeIT extends GatewayEdgeContract {

	private ConfigurableApplicationContext context;

	@Override
	protected URI start(Map<String, String> properties) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--management.server.port=0",
				"--spring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/sluice", "--spring.flyway.enabled=false",
				"--spring.reactor.netty.shutdown-quiet-period=0s"));
		properties.forEach((name, value) -> arguments.add("--" + name + "=" + value));
		this.context = SpringApplication.run(new Class<?>[] { GatewayApplication.class, OwnLoops.class },
				arguments.toArray(String[]::new));
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

	/** A gateway that stops does not stop the event loops of others. */
	static class OwnLoops {

		@Bean
		ReactorResourceFactory reactorResourceFactory() {
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setUseGlobalResources(false);
			return resources;
		}

	}

}
