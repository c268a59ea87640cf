package dev.sluice.lab.kit.run;

import picocli.CommandLine.Option;

/** {@code --source}. */
public final class SourceOption {

	/** The property that an experiment sets. */
	public static final String PROPERTY = "delivery.source";

	@Option(names = "--source", paramLabel = "SOURCE", defaultValue = "partitions",
			description = "How the consumer reads orders from Kafka: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
	private Source source = Source.PARTITIONS;

	/** What {@code delivery.source} may be. */
	public enum Source {

		PARTITIONS("partitions"), SHARE_GROUP("share-group");

		private final String text;

		Source(String text) {
			this.text = text;
		}

		/** As the property and the option have it. */
		@Override
		public String toString() {
			return this.text;
		}

	}

	public Source value() {
		return this.source;
	}

}
