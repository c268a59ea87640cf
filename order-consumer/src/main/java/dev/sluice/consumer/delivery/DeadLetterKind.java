package dev.sluice.consumer.delivery;

import java.util.Locale;

/** Why a record lies in the dead letters. */
enum DeadLetterKind {

	/** It is no order. */
	UNREADABLE,

	/** The backend will not have it. */
	REJECTED,

	/** Every delivery failed. */
	EXHAUSTED;

	/** As in {@code DeadLetterHeaders.KIND} and in metrics. */
	String text() {
		return name().toLowerCase(Locale.ROOT);
	}

}
