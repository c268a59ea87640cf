package dev.sluice.devservices;

/** A running Kafka: one node, no topic, topics are not created by themselves. */
public interface KafkaService extends Breakable {

	/** {@code host:port}, plain text. */
	String bootstrapServers();

}
