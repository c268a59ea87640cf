package dev.sluice.lab.kit.plan;

import java.util.Locale;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonValue;

/** How a gateway takes an order. */
public enum Mode {

	/** The gateway calls the backend and answers when the order is saved. */
	SYNC,

	/** The gateway answers when Kafka has the order. */
	QUEUED;

	/**
	 * The mode of that name.
	 * @throws IllegalArgumentException if there is none
	 */
	public static Mode of(String label) {
		return Stream.of(values())
			.filter((mode) -> mode.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("mode '%s' is unknown: use sync, queued".formatted(label)));
	}

	/** The name in options, results and metrics. */
	@JsonValue
	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	@Override
	public String toString() {
		return label();
	}

}
