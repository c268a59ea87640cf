package dev.sluice.devservices;

import java.util.List;

/**
 * A running Kafka: one broker or three, no topic, topics are not created by themselves.
 * What is done to it is done to all of its brokers.
 */
public interface KafkaService extends Breakable {

	/** {@code host:port} of each broker, with commas between; plain text. */
	String bootstrapServers();

	/**
	 * Its brokers, to be broken one by one. Of several, {@link #start} and {@link #thaw}
	 * of one return when it has all that the others have, so that the next may go.
	 */
	List<Breakable> brokers();

}
