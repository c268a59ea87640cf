package dev.sluice.gateway.core.warmup;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.queue.OrderTopics;
import dev.sluice.gateway.core.queue.Reading;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.status.KeyLookups;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/**
 * What the twin of a {@link WarmUp} has instead of Kafka: every order is acknowledged, no
 * key was used before, and nothing is read.
 */
class NothingBehind {

	@Bean
	ProducerFactory<?, ?> producers() {
		return new DefaultKafkaProducerFactory<String, byte[]>(Map.of()) {

			@Override
			protected Producer<String, byte[]> createRawProducer(Map<String, Object> configs) {
				return new Acknowledging();
			}

		};
	}

	@Bean
	OrderTopics orderTopics(QueueProperties properties, KafkaAdmin admin, KafkaTemplate<String, byte[]> kafka) {
		return new OrderTopics(properties, admin, kafka) {

			@Override
			public boolean ready() {
				return true;
			}

			@Override
			public void start() {
			}

		};
	}

	@Bean
	RecentOrders recentOrders(StatusProperties properties, OrderTopics topics, ConsumerFactory<?, ?> consumers,
			KafkaAdmin admins, JsonMapper json, MeterRegistry meters, Supervisor supervisor) {
		return new RecentOrders(properties, topics, consumers, admins, json, meters, supervisor) {

			@Override
			public void start() {
			}

			@Override
			public CompletableFuture<Reading> caughtUp(Duration limit) {
				return CompletableFuture.supplyAsync(() -> Reading.CURRENT);
			}

		};
	}

	@Bean
	@Primary
	KeyLookups.Table keyTable() {
		return (_, _) -> CompletableFuture.<@Nullable Map<UUID, KeyUse.Used>>supplyAsync(() -> null);
	}

	/** Acknowledges on another thread, as Kafka's producer does. */
	private static final class Acknowledging extends MockProducer<String, byte[]> {

		private static final RecordMetadata ACKNOWLEDGED = new RecordMetadata(new TopicPartition(Topics.ORDERS, 0), 0,
				0, 0, 0, 0);

		@Override
		public Future<RecordMetadata> send(ProducerRecord<String, byte[]> order, Callback callback) {
			ForkJoinPool.commonPool().execute(() -> callback.onCompletion(ACKNOWLEDGED, null));
			return CompletableFuture.completedFuture(ACKNOWLEDGED);
		}

	}

}
