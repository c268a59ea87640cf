package dev.sluice.devservices;

import java.util.List;

/**
 * A running Kafka with one broker or three. It has no topics and does not create them
 * automatically. A fault is injected into all of its brokers.
 */
public interface KafkaService extends Breakable {

	/** {@code host:port} of each broker, separated by commas; plain text. */
	String bootstrapServers();

	/**
	 * Its brokers, for faults in one of them. With several brokers, {@link #start} and
	 * {@link #unfreeze} return when the broker is in sync with the others, so that the
	 * next one may fail.
	 */
	List<Breakable> brokers();

}
