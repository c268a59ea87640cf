package dev.sluice.sink;

/** Every metric of the sink's own. */
enum SinkMetric {

	/** Messages read from streams, good or bad. */
	RECEIVED("sluice.sink.received", "messages", "Messages received"),

	/** Messages that Kafka has acknowledged. */
	STORED("sluice.sink.stored", "messages", "Messages stored"),

	/** Messages whose acknowledgement has been written. */
	ACKED("sluice.sink.acked", "messages", "Messages acknowledged to the client"),

	/** Messages received whose acknowledgement has not been written, of open streams. */
	IN_FLIGHT("sluice.sink.in.flight", "messages", "Messages in process"),

	/** Streams open now. */
	STREAMS("sluice.sink.streams", "streams", "Open streams"),

	/** From handing a message to the store to the store's acknowledgement. */
	STORE_DURATION("sluice.sink.store.duration", "seconds", "Time to store a message");

	private final String key;

	private final String unit;

	private final String meaning;

	SinkMetric(String key, String unit, String meaning) {
		this.key = key;
		this.unit = unit;
		this.meaning = meaning;
	}

	String key() {
		return this.key;
	}

	String unit() {
		return this.unit;
	}

	String meaning() {
		return this.meaning;
	}

}
