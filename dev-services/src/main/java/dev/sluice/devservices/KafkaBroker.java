package dev.sluice.devservices;

/** A broker, single or one of a {@link KafkaCluster}. */
interface KafkaBroker extends Server {

	/** {@code host:port}, plain text. */
	String address();

}
