package dev.sluice.devservices;

import java.util.LinkedHashMap;
import java.util.Map;

/** Broker properties that depend on the number of brokers. */
final class KafkaSettings {

	private KafkaSettings() {
	}

	/**
	 * Properties of each broker. With three brokers, each has a copy of everything, and
	 * at least two have each acknowledged record, so one may be lost. A single broker has
	 * the only copy.
	 */
	static Map<String, String> copies(int brokers) {
		String copies = Integer.toString(brokers);
		String inSync = Integer.toString(Math.max(1, brokers - 1));
		Map<String, String> properties = new LinkedHashMap<>();
		properties.put("default.replication.factor", copies);
		properties.put("min.insync.replicas", inSync);
		properties.put("offsets.topic.replication.factor", copies);
		properties.put("transaction.state.log.replication.factor", copies);
		properties.put("transaction.state.log.min.isr", inSync);
		if (brokers > 1) {
			// Until the controller misses a broker that is gone, the others wait for its
			// acknowledgement: 9 s by default.
			properties.put("broker.session.timeout.ms", "3000");
			properties.put("broker.heartbeat.interval.ms", "500");
			// Makes a broker that is back lead a third of the partitions again soon.
			properties.put("leader.imbalance.check.interval.seconds", "5");
		}
		return properties;
	}

}
