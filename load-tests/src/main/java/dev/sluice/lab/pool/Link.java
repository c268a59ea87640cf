package dev.sluice.lab.pool;

import java.io.IOException;

/** A connection that sends messages, used by one thread at a time. */
interface Link {

	/**
	 * Sends a message and waits for the answer.
	 * @return whether the connection can be used again
	 * @throws IOException if there is no answer, or it is an error
	 */
	boolean exchange() throws IOException;

	/** Closes the connection; may be called by any thread. */
	void close();

	/** Opens connections to one destination. */
	@FunctionalInterface
	interface Opener {

		/**
		 * Connects.
		 * @param answerMillis time limit of each answer, in milliseconds
		 */
		Link open(int answerMillis) throws IOException;

	}

}
