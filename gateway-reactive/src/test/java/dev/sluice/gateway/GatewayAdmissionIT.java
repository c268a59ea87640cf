package dev.sluice.gateway;

import java.util.List;

import dev.sluice.contract.GatewayAdmissionContract;

class GatewayAdmissionIT extends GatewayAdmissionContract {

	@Override
	protected Class<?>[] application() {
		return new Class<?>[] { GatewayApplication.class };
	}

	@Override
	protected List<String> arguments() {
		return List.of("--spring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/sluice");
	}

	@Override
	protected boolean limitsSchedulingDelay() {
		return true;
	}

}
