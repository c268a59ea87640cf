package dev.sluice.lab.kit.run;

import picocli.CommandLine.Option;

/** {@code --source}. */
public final class SourceOption {

	/** The property that an experiment sets. */
	public static final String PROPERTY = "delivery.source";

	@Option(names = "--source", paramLabel = "SOURCE", defaultValue = "partitions",
			description = "How the consumer reads orders from Kafka: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
	private Source source = Source.PARTITIONS;

	/** The values of {@code delivery.source}. */
	public enum Source {

		PARTITIONS("partitions"), SHARE_GROUP("share-group");

		private final String text;

		Source(String text) {
			this.text = text;
		}

		/** The value in the property and in the option. */
		@Override
		public String toString() {
			return this.text;
		}

	}

	public Source value() {
		return this.source;
	}

}
