package dev.sluice.sink.client;

import java.util.function.ToDoubleFunction;

import dev.sluice.sink.client.SinkClient.Stats;

/** Every metric of a client. Counters begin at 0 when the client is opened. */
enum SinkClientMetric {

	SPOOLED("sluice.sink.client.spooled", Kind.GAUGE, "messages", "Messages that the sink does not have yet",
			Stats::spooled),

	SPOOL_BYTES("sluice.sink.client.spool.bytes", Kind.GAUGE, "bytes",
			"Size of the messages in the spool; spoolBytes limits it", Stats::spoolBytes),

	OLDEST("sluice.sink.client.oldest", Kind.GAUGE, "seconds", "Age of the oldest message that the sink does not have",
			(stats) -> stats.oldestMillis() / 1_000.0),

	CONNECTED("sluice.sink.client.connected", Kind.GAUGE, "boolean", "1 while the sink answers on an open stream",
			(stats) -> stats.connected() ? 1 : 0),

	IN_FLIGHT("sluice.sink.client.in.flight", Kind.GAUGE, "messages", "Messages sent and not acknowledged",
			Stats::inFlight),

	WINDOW("sluice.sink.client.window", Kind.GAUGE, "messages", "Maximum number of messages in flight", Stats::window),

	SENT("sluice.sink.client.sent", Kind.COUNTER, "messages", "Messages sent, including repeats", Stats::sent),

	/** After a timeout, a drop or the end of a stream. */
	REPEATED("sluice.sink.client.repeated", Kind.COUNTER, "messages", "Messages sent again", Stats::repeated),

	SENT_BYTES("sluice.sink.client.sent.bytes", Kind.COUNTER, "bytes",
			"Bytes sent, after compression, including repeats, without the overhead of gRPC and TLS", Stats::sentBytes),

	/** A message counts once. */
	ACKNOWLEDGED("sluice.sink.client.acknowledged", Kind.COUNTER, "messages", "Messages that the sink has acknowledged",
			Stats::acknowledged),

	REFUSED("sluice.sink.client.refused", Kind.COUNTER, "messages",
			"Messages permanently refused; the listener gets them", Stats::refused),

	DAMAGED("sluice.sink.client.damaged", Kind.COUNTER, "messages",
			"Messages lost to damage of the spool's files: if it is not 0, check the disk", Stats::damaged),

	/** Not acknowledged within {@code ackTimeout}. */
	TIMEOUTS("sluice.sink.client.timeouts", Kind.COUNTER, "messages", "Messages not acknowledged in time",
			Stats::timeouts),

	DISCONNECTIONS("sluice.sink.client.disconnections", Kind.COUNTER, "streams",
			"Streams that ended; the client opens another one each time", Stats::disconnections);

	/** The kind of a metric. */
	enum Kind {

		/** A value that goes up and down. */
		GAUGE,

		/** A value that only goes up. */
		COUNTER

	}

	private final String key;

	private final Kind kind;

	private final String unit;

	private final String meaning;

	@SuppressWarnings("ImmutableEnumChecker") // A method reference.
	private final ToDoubleFunction<Stats> value;

	SinkClientMetric(String key, Kind kind, String unit, String meaning, ToDoubleFunction<Stats> value) {
		this.key = key;
		this.kind = kind;
		this.unit = unit;
		this.meaning = meaning;
		this.value = value;
	}

	String key() {
		return this.key;
	}

	Kind kind() {
		return this.kind;
	}

	String unit() {
		return this.unit;
	}

	String meaning() {
		return this.meaning;
	}

	double value(Stats stats) {
		return this.value.applyAsDouble(stats);
	}

}
