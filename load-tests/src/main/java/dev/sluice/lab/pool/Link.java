package dev.sluice.lab.pool;

import java.io.IOException;

/** A connection by which messages are sent, for one thread at a time. */
interface Link {

	/**
	 * Sends a message and waits until the other side has it.
	 * @return whether the connection can be used again
	 * @throws IOException if there was no answer, or one that is no success
	 */
	boolean exchange() throws IOException;

	/** By any thread. */
	void close();

	/** Where messages go. */
	@FunctionalInterface
	interface Opener {

		/**
		 * Connects.
		 * @param answerMillis within which each answer must come
		 */
		Link open(int answerMillis) throws IOException;

	}

}
