package dev.sluice.gateway;

import java.util.List;

import dev.sluice.contract.GatewayAdmissionContract;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(strings = { "platform", "virtual", "async" })
class GatewayAdmissionIT extends GatewayAdmissionContract {

	@Parameter
	private String threads;

	@Override
	protected Class<?>[] application() {
		return new Class<?>[] { GatewayApplication.class };
	}

	@Override
	protected List<String> arguments() {
		return List.of("--sluice.threads=" + this.threads,
				"--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/sluice");
	}

	@Override
	protected boolean limitsSchedulingDelay() {
		return !this.threads.equals("platform");
	}

}
