package dev.sluice.consumer.outcome;

import java.util.Locale;

/** Why a record lies in the dead letters. */
public enum DeadLetterKind {

	/** It is no order. */
	UNREADABLE,

	/** The backend refuses it. */
	REJECTED,

	/** Its retry budget is spent: too many failures of its own, or too old. */
	EXHAUSTED,

	/** Another payload was accepted under its id before. That order goes on. */
	CONFLICT;

	/** As in {@code DeadLetterHeaders.KIND} and in metrics. */
	public String text() {
		return name().toLowerCase(Locale.ROOT);
	}

}
