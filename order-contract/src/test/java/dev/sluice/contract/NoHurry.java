package dev.sluice.contract;

import java.util.HashMap;
import java.util.Map;

/**
 * Properties for a gateway under test whose servers work. By default a few tenths of a
 * second distinguish a slow answer from an outage; a machine that is busy with other
 * tests must not look like an outage.
 */
public final class NoHurry {

	/** With Kafka. */
	public static final Map<String, String> KAFKA = Map.of("queue.timeout", "15s",
			"spring.kafka.producer.properties.max.block.ms", "10000",
			"spring.kafka.producer.properties.request.timeout.ms", "10000",
			"spring.kafka.producer.properties.delivery.timeout.ms", "15000");

	/**
	 * With PostgreSQL and the backend. {@code backend.response-timeout} is no longer than
	 * this, because {@link GatewayContract} waits for it.
	 */
	private static final Map<String, String> STATUS_AND_BACKEND = Map.of("status.timeout", "15s",
			"status.key-lookup-timeout", "15s", "backend.connect-timeout", "10s", "backend.response-timeout", "5s");

	private NoHurry() {
	}

	/** With all of them; changeable. */
	public static Map<String, String> properties() {
		Map<String, String> properties = new HashMap<>(KAFKA);
		properties.putAll(STATUS_AND_BACKEND);
		return properties;
	}

}
