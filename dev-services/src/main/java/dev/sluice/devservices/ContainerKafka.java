package dev.sluice.devservices;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;

import org.testcontainers.images.builder.Transferable;
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
					.withCopyToContainer(logging(), "/mnt/shared/config/log4j2.yaml")
					.withCopyToContainer(logging(), "/mnt/shared/config/tools-log4j2.yaml")
					.withStartupTimeout(Duration.ofSeconds(120)));
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

	/**
	 * Ours instead of the image's: it copies those with their modes and then writes to
	 * the copies, which fails where they are read-only. A new one for each copy: the
	 * container keeps them in a map.
	 */
	private static Transferable logging() {
		try (InputStream stream = ContainerKafka.class.getResourceAsStream("kafka-log4j2.yaml")) {
			return Transferable.of(Objects.requireNonNull(stream, "kafka-log4j2.yaml").readAllBytes());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot read kafka-log4j2.yaml", ex);
		}
	}

}
