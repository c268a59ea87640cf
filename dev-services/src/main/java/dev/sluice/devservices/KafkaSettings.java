package dev.sluice.devservices;

import java.util.LinkedHashMap;
import java.util.Map;

/** What brokers are told that depends on how many of them there are. */
final class KafkaSettings {

	private KafkaSettings() {
	}

	/**
	 * Properties of each broker: of three, each has a copy of everything and two must
	 * have what is acknowledged, so that one may be lost; one alone has the only copy.
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
		properties.put("share.coordinator.state.topic.replication.factor", copies);
		properties.put("share.coordinator.state.topic.min.isr", inSync);
		if (brokers > 1) {
			// Until a broker that is gone is missed, the others wait for its
			// acknowledgement: by default 9 s.
			properties.put("broker.session.timeout.ms", "3000");
			properties.put("broker.heartbeat.interval.ms", "500");
			// One that is back leads a third of the partitions again soon.
			properties.put("leader.imbalance.check.interval.seconds", "5");
		}
		return properties;
	}

}
