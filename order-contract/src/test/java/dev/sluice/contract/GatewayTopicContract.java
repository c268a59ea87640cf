package dev.sluice.contract;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.devservices.DevServices;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How every gateway manages its topics. PostgreSQL and the backend are down: neither is
 * needed. Other gateways may use the same Kafka.
 */
public abstract class GatewayTopicContract extends RunningGateway {

	@Test
	void createsADeletedTopicAgainAndRefusesQueuedOrdersMeanwhile() throws Exception {
		await().until(() -> enqueue().statusCode() == 202);
		try (Admin admin = admin()) {
			for (int round = 0; round < 2; round++) {
				var before = admin.describeTopics(List.of(Topics.ORDERS)).allTopicNames().get().get(Topics.ORDERS);
				admin.deleteTopics(List.of(Topics.ORDERS)).all().get();

				// Each order is answered, and the topic is created again.
				await().until(() -> {
					assertThat(enqueue().statusCode()).isIn(202, 503);
					return admin.listTopics().names().get().contains(Topics.ORDERS);
				});

				await().until(() -> enqueued(enqueue()));
				List<String> accepted = new ArrayList<>();
				for (int i = 0; i < 20; i++) {
					HttpResponse<String> response = await().until(this::enqueue,
							(answer) -> answer.statusCode() == 202);
					accepted.add(JsonPath.read(response.body(), "$.id"));
				}
				assertThat(ids()).containsAll(accepted);
				var after = admin.describeTopics(List.of(Topics.ORDERS)).allTopicNames().get().get(Topics.ORDERS);
				assertThat(after.topicId()).isNotEqualTo(before.topicId());
				assertThat(after.partitions()).hasSameSizeAs(before.partitions());
			}
		}
	}

	@Test
	void staysReadyAndSaysWhichSettingsDiffer() throws Exception {
		await().until(() -> manage("/actuator/health/readiness").statusCode() == 200);
		try (Admin admin = admin()) {
			setRetention(admin, "1000");
			try {
				await().until(() -> manage("/actuator/health/topic-details").body()
					.contains("topic orders-dlt has retention.ms 1000 and should have -1"));
				await().until(() -> manage("/actuator/health/readiness").statusCode() == 200);
			}
			finally {
				setRetention(admin, "-1");
			}
		}
	}

	private static void setRetention(Admin admin, String millis) throws Exception {
		admin
			.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, Topics.ORDERS_DLT),
					List.of(new AlterConfigOp(new ConfigEntry("retention.ms", millis), AlterConfigOp.OpType.SET))))
			.all()
			.get();
	}

	private boolean enqueued(HttpResponse<String> response) {
		return response.statusCode() == 202 && ids().contains(JsonPath.<String>read(response.body(), "$.id"));
	}

	private HttpResponse<String> enqueue() throws Exception {
		return post(ORDER, "Prefer", "respond-async");
	}

	/** Ids of all orders in the topic. */
	private Set<String> ids() {
		Set<String> ids = new HashSet<>();
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
				Map.of("bootstrap.servers", DevServices.shared().kafka().bootstrapServers()),
				new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.ORDERS)
				.stream()
				.map((partition) -> new TopicPartition(partition.topic(), partition.partition()))
				.toList();
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			while (partitions.stream().anyMatch((partition) -> consumer.position(partition) < ends.get(partition))) {
				consumer.poll(Duration.ofMillis(100))
					.forEach((record) -> ids
						.add(new String(record.headers().lastHeader(OrderHeaders.ID).value(), StandardCharsets.UTF_8)));
			}
		}
		return ids;
	}

	private Admin admin() {
		return Admin.create(Map.of("bootstrap.servers", DevServices.shared().kafka().bootstrapServers()));
	}

}
