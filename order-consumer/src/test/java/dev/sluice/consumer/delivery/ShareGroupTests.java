package dev.sluice.consumer.delivery;

import java.util.HashMap;
import java.util.Map;

import dev.sluice.consumer.DeliveryProperties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class ShareGroupTests {

	/** Nothing listens there. */
	private static final Map<String, Object> CLIENT = Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
			"127.0.0.1:1");

	private final DeliveryProperties properties = new Binder(
			new MapConfigurationPropertySource(Map.of("delivery.group-id", "group")))
		.bindOrCreate("delivery", DeliveryProperties.class);

	@Test
	void acknowledgesEachRecordAndHoldsNoMoreThanItsBatch() {
		assertThat(ShareGroup.consumer(CLIENT, this.properties, 3))
			.isEqualTo(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1",
					ConsumerConfig.GROUP_ID_CONFIG, "group", ConsumerConfig.CLIENT_ID_CONFIG, "order-delivery-3",
					ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG, "explicit",
					ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, "record_limit", ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
					this.properties.shareBatch(), ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Integer.MAX_VALUE));
	}

	/** The client refuses settings of consumer groups. */
	@Test
	void takesTheSettingsOfAConsumerThatAShareConsumerHas() {
		Map<String, Object> consumer = new HashMap<>(CLIENT);
		consumer.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
		consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		consumer.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, "one");
		consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
		consumer.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 10_000);
		consumer.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50);
		Map<String, Object> before = Map.copyOf(consumer);

		Map<String, Object> share = ShareGroup.consumer(consumer, this.properties, 0);

		assertThat(share).containsEntry(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50);
		assertThat(consumer).isEqualTo(before);
		assertThatCode(
				() -> new KafkaShareConsumer<>(share, new ByteArrayDeserializer(), new ByteArrayDeserializer()).close())
			.doesNotThrowAnyException();
	}

}
