package dev.sluice.devservices;

/** A server that is started once and stopped once. */
interface Server extends AutoCloseable {

	/**
	 * Returns when the server serves.
	 * @throws StartFailedException if it does not within its deadline, or if it was
	 * closed meanwhile; nothing is left running then
	 */
	void start();

	/**
	 * Stops it, from any thread, at any time, any number of times. While another thread
	 * is in {@link #start()} that fails soon.
	 */
	@Override
	void close();

}
