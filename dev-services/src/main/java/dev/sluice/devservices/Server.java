package dev.sluice.devservices;

/** A server that has an owner, who starts it first and closes it last. */
interface Server extends Breakable, AutoCloseable {

	/**
	 * Starts it, for the first time or again; returns when it serves.
	 * @throws StartFailedException if it does not within its deadline, or if it was
	 * closed meanwhile; nothing is left running then
	 */
	@Override
	void start();

	/**
	 * Ends it for good, frozen or not, from any thread, at any time, any number of times.
	 * While another thread is in {@link #start()} that fails soon.
	 */
	@Override
	void close();

}
