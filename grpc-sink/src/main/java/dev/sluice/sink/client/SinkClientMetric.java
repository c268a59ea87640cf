package dev.sluice.sink.client;

import java.util.function.ToDoubleFunction;

import dev.sluice.sink.client.SinkClient.Stats;

/** Every metric of a client. Counters begin at 0 when the client is opened. */
enum SinkClientMetric {

	/** Depth in messages; refused ones are not counted. */
	SPOOLED("sluice.sink.client.spooled", Kind.GAUGE, "messages", "Messages that the sink does not have yet",
			Stats::spooled),

	/** Depth in bytes. */
	SPOOL_BYTES("sluice.sink.client.spool.bytes", Kind.GAUGE, "bytes",
			"What the spool holds, refused messages included; spoolBytes limits it", Stats::spoolBytes),

	/** 0 if the sink has everything. */
	OLDEST("sluice.sink.client.oldest", Kind.GAUGE, "seconds", "Age of the oldest message that the sink does not have",
			(stats) -> stats.oldestMillis() / 1_000.0),

	/** Whether a stream is open on which the sink has answered. */
	CONNECTED("sluice.sink.client.connected", Kind.GAUGE, "boolean", "1 while the sink answers on an open stream",
			(stats) -> stats.connected() ? 1 : 0),

	/** Of the messages in the spool. */
	IN_FLIGHT("sluice.sink.client.in.flight", Kind.GAUGE, "messages", "Messages sent and not acknowledged",
			Stats::inFlight),

	/** What limits the messages in flight. */
	WINDOW("sluice.sink.client.window", Kind.GAUGE, "messages", "Messages that may be in flight", Stats::window),

	/** Each time it is sent, a message counts. */
	SENT("sluice.sink.client.sent", Kind.COUNTER, "messages", "Messages sent, repeats included", Stats::sent),

	/** After a timeout, a drop or the end of a stream. */
	REPEATED("sluice.sink.client.repeated", Kind.COUNTER, "messages", "Messages sent again", Stats::repeated),

	/** What gRPC and TLS add is not counted. */
	SENT_BYTES("sluice.sink.client.sent.bytes", Kind.COUNTER, "bytes",
			"Bytes sent, after compression and repeats included, without what gRPC and TLS add", Stats::sentBytes),

	/** Each message once. */
	ACKNOWLEDGED("sluice.sink.client.acknowledged", Kind.COUNTER, "messages", "Messages that the sink has acknowledged",
			Stats::acknowledged),

	/** They stay in the spool. */
	REFUSED("sluice.sink.client.refused", Kind.COUNTER, "messages", "Messages refused for good", Stats::refused),

	/** They are lost; the log names them. */
	DAMAGED("sluice.sink.client.damaged", Kind.COUNTER, "messages",
			"Messages lost to damage of the spool's files: anything but 0 needs a look at the disk", Stats::damaged),

	/** Not acknowledged within {@code ackTimeout}. */
	TIMEOUTS("sluice.sink.client.timeouts", Kind.COUNTER, "messages", "Messages not acknowledged in time",
			Stats::timeouts),

	/** Each is followed by a new one. */
	DISCONNECTIONS("sluice.sink.client.disconnections", Kind.COUNTER, "streams",
			"Streams that ended; the client opens another one each time", Stats::disconnections);

	/** What a metric does. */
	enum Kind {

		/** Goes up and down. */
		GAUGE,

		/** Goes up. */
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
