package dev.sluice.devservices;

import java.util.List;

/**
 * A server with an owner, which starts it first and closes it last, also if its first
 * start fails.
 */
interface Server extends Breakable, AutoCloseable {

	String host();

	int port();

	/**
	 * The processes of this machine that serve it, without their children. Empty if there
	 * are none, or if the system has no {@code /proc}.
	 */
	List<Long> processes();

	/**
	 * Starts it, for the first time or again. Returns when it is ready.
	 * @throws StartFailedException if it is not ready within its deadline, or is closed
	 * meanwhile
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
