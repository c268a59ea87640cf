package dev.sluice.gateway.core.queue;

import java.util.Map;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.topics.OrderTopicSpecs;
import dev.sluice.topics.TopicWatch;
import dev.sluice.topics.TopicsState;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * Watches the topics of orders and creates missing ones. Start-up does not wait for
 * Kafka. While a topic is missing nothing is enqueued; otherwise the broker would create
 * it by itself, with one partition. Uses one thread, see {@link TopicWatch}.
 */
@Component
public class OrderTopics implements InitializingBean, DisposableBean {

	private final TopicWatch watch;

	private final KafkaTemplate<String, byte[]> kafka;

	private volatile boolean reached;

	public OrderTopics(QueueProperties properties, KafkaAdmin admin, KafkaTemplate<String, byte[]> kafka) {
		this.kafka = kafka;
		this.watch = new TopicWatch(
				OrderTopicSpecs.of(properties.partitions(), properties.replicationFactor(),
						properties.minInsyncReplicas()),
				admin.getConfigurationProperties(), this::prepare, Admin::create);
	}

	/** Fetches the producer's metadata; otherwise the first order would wait for it. */
	void prepare() {
		this.kafka.partitionsFor(Topics.ORDERS);
		this.reached = true;
	}

	/**
	 * Whether all topics were there when Kafka last answered. An outage of Kafka does not
	 * change it.
	 */
	public boolean ready() {
		return this.watch.ready();
	}

	/** Whether all topics have been there once. Stays true. */
	public boolean reached() {
		return this.reached;
	}

	TopicsState state() {
		return this.watch.state();
	}

	/** The ids of the topics; empty while one is missing. */
	Map<String, Uuid> ids() {
		TopicsState state = state();
		return state.ready() ? state.ids() : Map.of();
	}

	@Override
	public void afterPropertiesSet() {
		this.watch.start();
	}

	@Override
	public void destroy() {
		this.watch.close();
	}

}
