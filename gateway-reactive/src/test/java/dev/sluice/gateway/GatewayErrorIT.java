package dev.sluice.gateway;

import dev.sluice.contract.GatewayErrorContract;
import dev.sluice.failing.FailingController;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

/** Nothing listens on port 1. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "backend.url=http://127.0.0.1:1",
				"spring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/sluice", "spring.flyway.enabled=false",
				"sluice.max-wait=0s", "backend.response-timeout=100ms", "status.timeout=100ms",
				"status.key-lookup-timeout=10ms" })
@Import(FailingController.class)
class GatewayErrorIT extends GatewayErrorContract {

}
