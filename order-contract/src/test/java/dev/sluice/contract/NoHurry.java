package dev.sluice.contract;

import java.util.HashMap;
import java.util.Map;

/**
 * Properties for a gateway under test whose servers work. By default a few tenths of a
 * second distinguish a slow answer from an outage. With these no limit acts on a machine
 * that stands still for a while: a test of such a limit sets a short one, and asserts
 * only that it acts.
 */
public final class NoHurry {

	/** With Kafka. */
	public static final Map<String, String> KAFKA = Map.of("queue.timeout", "2m",
			"spring.kafka.producer.properties.max.block.ms", "60000",
			"spring.kafka.producer.properties.request.timeout.ms", "60000",
			"spring.kafka.producer.properties.delivery.timeout.ms", "120000");

	/** With PostgreSQL and the backend. */
	private static final Map<String, String> STATUS_AND_BACKEND = Map.of("status.timeout", "1m",
			"status.key-lookup-timeout", "2m", "backend.connect-timeout", "1m", "backend.response-timeout", "10m");

	/** With clients. */
	static final Map<String, String> CLIENTS = Map.of("sluice.head-timeout", "10m", "sluice.body-timeout", "10m",
			"sluice.write-timeout", "10m", "server.tomcat.connection-timeout", "10m");

	private NoHurry() {
	}

	/** With all of them; changeable. */
	public static Map<String, String> properties() {
		Map<String, String> properties = new HashMap<>(KAFKA);
		properties.putAll(STATUS_AND_BACKEND);
		properties.putAll(CLIENTS);
		return properties;
	}

}
