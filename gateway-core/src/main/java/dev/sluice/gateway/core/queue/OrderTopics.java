package dev.sluice.gateway.core.queue;

import java.util.function.Function;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.topics.OrderTopicSpecs;
import dev.sluice.topics.TopicWatch;
import dev.sluice.topics.TopicsState;
import org.apache.kafka.clients.admin.Admin;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * Watches the topics of orders and creates missing ones. Start-up does not wait for
 * Kafka. While a topic is missing nothing is enqueued; otherwise the broker would create
 * it by itself, with one partition. Uses one thread, see {@link TopicWatch}.
 */
@Component
public class OrderTopics implements SmartLifecycle {

	private final TopicWatch watch;

	private final KafkaTemplate<String, byte[]> kafka;

	private volatile boolean reached;

	private volatile boolean running;

	@Autowired
	public OrderTopics(QueueProperties properties, KafkaAdmin admin, KafkaTemplate<String, byte[]> kafka) {
		this(kafka,
				(preparation) -> new TopicWatch(
						OrderTopicSpecs.of(properties.partitions(), properties.replicationFactor(),
								properties.minInsyncReplicas()),
						admin.getConfigurationProperties(), preparation, Admin::create));
	}

	/**
	 * @param watch makes the watch, which calls the preparation
	 */
	OrderTopics(KafkaTemplate<String, byte[]> kafka, Function<TopicWatch.Preparation, TopicWatch> watch) {
		this.kafka = kafka;
		this.watch = watch.apply(this::prepare);
	}

	/** Fetches the producer's metadata; otherwise the first order would wait for it. */
	private void prepare() {
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

	@Override
	public void start() {
		this.running = true;
		this.watch.start();
	}

	@Override
	public void stop() {
		this.running = false;
		this.watch.close();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
