package dev.sluice.devservices;

import java.time.Duration;

import org.testcontainers.kafka.KafkaContainer;

/** Kafka in a container. */
final class ContainerKafka implements Server, KafkaService {

	static final String IMAGE = "apache/kafka:4.2.1";

	private static final int PORT = 9092;

	private final Container<KafkaContainer> container;

	ContainerKafka(int port) {
		this.container = new Container<>("Kafka", PORT, port,
				() -> new KafkaContainer(IMAGE).withEnv("KAFKA_HEAP_OPTS", "-Xms256m -Xmx512m")
					.withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
					.withEnv("KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR", "1")
					.withEnv("KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR", "1")
					.withStartupTimeout(Duration.ofSeconds(90)));
	}

	@Override
	public void start() {
		this.container.start();
	}

	@Override
	public void close() {
		this.container.close();
	}

	@Override
	public String bootstrapServers() {
		return this.container.get().getBootstrapServers();
	}

}
