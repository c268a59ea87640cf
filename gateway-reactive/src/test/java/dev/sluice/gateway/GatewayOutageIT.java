package dev.sluice.gateway;

import dev.sluice.contract.GatewayOutageContract;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** Nothing listens on port 1. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "backend.url=http://127.0.0.1:1",
				"spring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/sluice", "spring.flyway.enabled=false",
				"sluice.client-limit=0.01", "sluice.client-burst=5" })
class GatewayOutageIT extends GatewayOutageContract {

}
