package dev.sluice.devservices;

/** The Kafka that the tests of this module share. */
public final class SharedKafka {

	/**
	 * The resource that tests lock: those that break Kafka for themselves, the others to
	 * read.
	 */
	public static final String LOCK = "dev.sluice.shared-kafka";

	private SharedKafka() {
	}

}
