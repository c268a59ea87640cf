package dev.sluice.devservices;

/** A server with an owner, which starts it first and closes it last. */
interface Server extends Breakable, AutoCloseable {

	String host();

	/** The port; 0 before the first start. */
	int port();

	/**
	 * Starts it, for the first time or again. Returns when it is ready.
	 * @throws StartFailedException if it is not ready within its deadline, or is closed
	 * meanwhile; nothing is left running then
	 */
	@Override
	void start();

	/**
	 * Ends it for good, even if it is frozen. Any thread may call this at any time and
	 * repeatedly. A {@link #start()} in progress fails soon.
	 */
	@Override
	void close();

}
