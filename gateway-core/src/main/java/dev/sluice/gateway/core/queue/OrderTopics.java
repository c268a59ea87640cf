package dev.sluice.gateway.core.queue;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.topics.TopicSpecs;
import dev.sluice.topics.TopicWatch;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * Watches the topics of orders and creates missing ones. Start-up does not wait for
 * Kafka. While a topic is missing nothing is enqueued; otherwise the broker would create
 * it by itself, with one partition.
 */
@Component
public class OrderTopics extends TopicWatch implements InitializingBean {

	private final KafkaTemplate<String, byte[]> kafka;

	public OrderTopics(QueueProperties properties, KafkaAdmin admin, KafkaTemplate<String, byte[]> kafka) {
		super(TopicSpecs.orders(properties.partitions(), properties.replicationFactor(),
				properties.minInsyncReplicas()), admin.getConfigurationProperties());
		this.kafka = kafka;
	}

	/** Fetches the producer's metadata; otherwise the first order would wait for it. */
	@Override
	protected void prepare() {
		this.kafka.partitionsFor(Topics.ORDERS);
	}

	@Override
	public void afterPropertiesSet() {
		start();
	}

}
