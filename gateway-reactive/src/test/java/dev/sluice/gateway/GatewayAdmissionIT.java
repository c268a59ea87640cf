package dev.sluice.gateway;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.GatewayAdmissionContract;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Nothing listens on port 1. */
class GatewayAdmissionIT extends GatewayAdmissionContract {

	private ConfigurableApplicationContext context;

	@Override
	protected URI start(Map<String, String> properties) {
		List<String> arguments = new ArrayList<>(
				List.of("--server.port=0", "--management.server.port=0", "--spring.kafka.bootstrap-servers=127.0.0.1:1",
						"--spring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/sluice", "--spring.flyway.enabled=false"));
		properties.forEach((name, value) -> arguments.add("--%s=%s".formatted(name, value)));
		this.context = SpringApplication.run(GatewayApplication.class, arguments.toArray(String[]::new));
		return uri("local.server.port");
	}

	@Override
	protected boolean limitsSchedulingDelay() {
		return true;
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
