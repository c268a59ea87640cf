package dev.sluice.sink;

/** Every metric that the sink itself records. */
enum SinkMetric {

	RECEIVED("sluice.sink.received", "messages", "Messages received"),

	STORED("sluice.sink.stored", "messages", "Messages stored"),

	REPEATED("sluice.sink.repeated", "messages", "Repeats of messages that were already stored"),

	REFUSED("sluice.sink.refused", "messages", "Messages permanently refused"),

	DROPPED("sluice.sink.dropped", "messages",
			"Oldest messages dropped from a full queue; the client sends them again"),

	ACKED("sluice.sink.acked", "messages", "Messages acknowledged to the client"),

	QUEUED("sluice.sink.queued", "messages", "Messages waiting for the storage"),

	/**
	 * What {@code sink.limits.memory} limits, plus decompressed messages in the storage.
	 */
	MEMORY("sluice.sink.memory", "bytes", "Memory that messages take from their first byte to their acknowledgement"),

	/** Messages received whose acknowledgement has not been written, of open streams. */
	IN_FLIGHT("sluice.sink.in.flight", "messages", "Messages in process"),

	STREAMS("sluice.sink.streams", "streams", "Open streams"),

	/** From the hand-over of messages to the store until the store acknowledges them. */
	STORE_DURATION("sluice.sink.store.duration", "seconds",
			"Time to store the messages that go to the storage together: those of one request, or a single one"),

	/** Tag: {@code thread}. */
	THREAD_FAILURES("sluice.thread.failures", "failures",
			"Unexpected exceptions in a thread that goes on after each, by its tag thread");

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
