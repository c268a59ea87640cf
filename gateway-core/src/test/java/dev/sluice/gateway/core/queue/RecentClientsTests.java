package dev.sluice.gateway.core.queue;

import java.util.Map;

import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RecentClientsTests {

	/** Nothing listens there. */
	private static final Map<String, Object> CLIENT = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
			"127.0.0.1:1");

	/**
	 * A group of its own would be a second projection, and none of its offsets is needed.
	 */
	@Test
	void readsWithoutAGroupAndWaitsForNoBroker() {
		Map<String, Object> consumer = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1",
				ConsumerConfig.GROUP_ID_CONFIG, "group");

		try (RecentClients clients = RecentClients.open(CLIENT, consumer)) {
			assertThat(clients.admin()).isNotNull();
			assertThatExceptionOfType(InvalidGroupIdException.class)
				.isThrownBy(() -> clients.consumer().groupMetadata());
		}
	}

	@Test
	void opensBothOrNone() {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> RecentClients.open(Map.of(), CLIENT))
			.withRootCauseInstanceOf(ConfigException.class);
	}

}
