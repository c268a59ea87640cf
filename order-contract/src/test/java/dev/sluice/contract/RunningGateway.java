package dev.sluice.contract;

import java.net.URI;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.env.Environment;

/** The addresses of the gateway that Spring Boot has started for a test. */
abstract class RunningGateway {

	@Autowired
	private Environment environment;

	/** The gateway's address. */
	protected final URI gateway() {
		return address("local.server.port");
	}

	/** The address of its health and metrics. */
	protected final URI management() {
		return address("local.management.port");
	}

	private URI address(String port) {
		return URI.create("http://127.0.0.1:" + this.environment.getRequiredProperty(port));
	}

}
