package dev.sluice.topics;

/**
 * A setting of an existing topic that differs from its specification. It is reported, and
 * the service runs anyway.
 *
 * @param topic the topic's name
 * @param setting {@code partitions}, {@code replication.factor} or a configuration key
 * @param actual the topic's value
 * @param expected the specified value
 */
public record TopicDifference(String topic, String setting, String actual, String expected) {

	static final String PARTITIONS = "partitions";

	static final String REPLICATION_FACTOR = "replication.factor";

	static final String CONFIGURATION = "configuration";

	/** What is wrong, and what an operator can do about it. */
	@Override
	public String toString() {
		String remedy = switch (this.setting) {
			case PARTITIONS -> "set the service's number of partitions to what is found, or add partitions with "
					+ "kafka-topics.sh --alter --topic " + this.topic + " --partitions " + this.expected
					+ " while no order is queued";
			case REPLICATION_FACTOR -> "set the service's replication factor to what is found, or move the topic's "
					+ "partitions with kafka-reassign-partitions.sh";
			case CONFIGURATION -> "grant DESCRIBE_CONFIGS on topic " + this.topic;
			default -> "kafka-configs.sh --alter --topic " + this.topic + " --add-config " + this.setting + "="
					+ this.expected;
		};
		return "topic %s has %s %s and should have %s: %s".formatted(this.topic, this.setting, this.actual,
				this.expected, remedy);
	}

}
