package dev.sluice.consumer.delivery;

/** What one delivery came to. */
sealed interface Attempt {

	/** The backend has the order. */
	record Saved() implements Attempt {
	}

	/**
	 * It may come to something another time.
	 *
	 * @param reason one line for a person
	 * @param reached whether the backend may have seen the order at all; if not, the
	 * failure says nothing about the order
	 */
	record RetryLater(String reason, boolean reached) implements Attempt {
	}

	/**
	 * The backend will not have it.
	 *
	 * @param reason one line for a person
	 */
	record Rejected(String reason) implements Attempt {
	}

}
