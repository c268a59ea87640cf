package dev.sluice.consumer.delivery;

import java.util.Locale;

/** Why a record lies in the dead letters. */
enum DeadLetterKind {

	/** It is no order. */
	UNREADABLE,

	/** The backend refuses it. */
	REJECTED,

	/** Its retry budget is spent: too many failures of its own, or too old. */
	EXHAUSTED,

	/** Another payload was accepted under its id before. That order goes on. */
	CONFLICT;

	/** As in {@code DeadLetterHeaders.KIND} and in metrics. */
	String text() {
		return name().toLowerCase(Locale.ROOT);
	}

}
