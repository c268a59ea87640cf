package dev.sluice.devservices;

/** One broker, alone or of a {@link KafkaCluster}. */
interface KafkaBroker extends Server {

	/** {@code host:port}, plain text. */
	String address();

}
