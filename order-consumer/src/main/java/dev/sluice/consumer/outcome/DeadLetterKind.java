package dev.sluice.consumer.outcome;

import java.util.Locale;

/** Why a record is a dead letter. */
public enum DeadLetterKind {

	/** The record is not an order. */
	UNREADABLE,

	/** The backend refuses the order. */
	REJECTED,

	/** The retry budget is spent, or the order is too old. */
	EXHAUSTED,

	/** Another payload was accepted under the id before. That order continues. */
	CONFLICT;

	/** As in {@code DeadLetterHeaders.KIND} and in metrics. */
	public String text() {
		return name().toLowerCase(Locale.ROOT);
	}

}
