package dev.sluice.gateway;

import java.util.List;

import dev.sluice.contract.GatewayEdgeContract;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;

class GatewayEdgeIT extends GatewayEdgeContract {

	@Override
	protected Class<?>[] application() {
		return new Class<?>[] { GatewayApplication.class, OwnLoops.class };
	}

	@Override
	protected List<String> arguments() {
		return List.of("--spring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/sluice",
				"--spring.reactor.netty.shutdown-quiet-period=0s");
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
