package dev.sluice.gateway;

import dev.sluice.gateway.core.warmup.WarmUpContract;

class WarmUpIT extends WarmUpContract {

	WarmUpIT() {
		super(GatewayApplication.class);
	}

}
