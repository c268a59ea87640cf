package dev.sluice.gateway;

import dev.sluice.contract.GatewayTopicContract;
import dev.sluice.devservices.DevServices;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** Its topics are deleted. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "backend.url=http://127.0.0.1:1", "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/sluice",
				"spring.flyway.enabled=false" })
@DirtiesContext
class GatewayTopicIT extends GatewayTopicContract {

	@DynamicPropertySource
	static void servers(DynamicPropertyRegistry registry) {
		registry.add("spring.kafka.bootstrap-servers", DevServices.shared().kafka()::bootstrapServers);
	}

}
