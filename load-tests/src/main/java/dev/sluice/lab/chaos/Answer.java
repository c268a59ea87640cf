package dev.sluice.lab.chaos;

import java.util.Set;

import dev.sluice.contract.Placed;
import org.jspecify.annotations.Nullable;

/**
 * The result of one attempt to place an order.
 *
 * @param text the HTTP status, or why there is none: {@code timeout},
 * {@code unreachable}, {@code broken}
 * @param meaning what the client may conclude
 * @param again whether a client tries again
 */
record Answer(String text, Meaning meaning, boolean again) {

	/** No answer within the client's timeout. */
	static final Answer TIMEOUT = new Answer("timeout", Meaning.OPEN, true);

	/** No connection, so nothing was sent. */
	static final Answer UNREACHABLE = new Answer("unreachable", Meaning.REFUSED, true);

	/** The connection ended before the answer was complete. */
	static final Answer BROKEN = new Answer("broken", Meaning.OPEN, true);

	private static final int IN_PROGRESS = 409;

	private static final Set<Integer> OTHERS_4XX_TO_REPEAT = Set.of(408, 425, 429);

	/** The promise of {@link Placed#NO}. */
	private static final String NOT_PLACED = "no";

	/**
	 * What an answer says about the order. An order's meaning is the greatest of its
	 * attempts.
	 */
	enum Meaning {

		/** Not sent yet. */
		NONE,

		/** A promise that this attempt has placed nothing. */
		REFUSED,

		/** The order may have been taken or not. */
		OPEN,

		/** A promise that the order is saved, or will be saved or failed. */
		ACCEPTED

	}

	/**
	 * The answer with an HTTP status.
	 * @param placed the problem's {@link Placed#MEMBER}, null if it has none
	 */
	static Answer of(int status, @Nullable String placed) {
		String text = Integer.toString(status);
		if (status / 100 == 2) {
			return new Answer(text, Meaning.ACCEPTED, false);
		}
		if (status == IN_PROGRESS) {
			// The outcome of an earlier attempt is not known yet.
			return new Answer(text, Meaning.OPEN, true);
		}
		if (status / 100 == 4) {
			return new Answer(text, Meaning.REFUSED, OTHERS_4XX_TO_REPEAT.contains(status));
		}
		return new Answer(text, NOT_PLACED.equals(placed) ? Meaning.REFUSED : Meaning.OPEN, true);
	}

}
