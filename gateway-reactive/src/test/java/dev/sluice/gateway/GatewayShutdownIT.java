package dev.sluice.gateway;

import java.net.URI;

import dev.sluice.contract.GatewayShutdownContract;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Nothing listens on port 1. */
class GatewayShutdownIT extends GatewayShutdownContract {

	private ConfigurableApplicationContext context;

	@Override
	protected URI start(URI backend) {
		this.context = SpringApplication.run(GatewayApplication.class, "--server.port=0", "--backend.url=" + backend,
				"--spring.kafka.bootstrap-servers=127.0.0.1:1",
				"--spring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/sluice", "--spring.flyway.enabled=false");
		return URI.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port"));
	}

	@Override
	protected void stop() {
		this.context.close();
	}

}
