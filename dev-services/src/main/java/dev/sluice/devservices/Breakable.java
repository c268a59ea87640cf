package dev.sluice.devservices;

import java.util.List;

/**
 * A server with an owner, which starts it first and closes it last, and faults that can
 * be injected meanwhile. The server keeps its address and its data: what it acknowledged
 * before {@link #kill} is there after {@link #start}, unless the machine itself went
 * down.
 * <p>
 * Not thread-safe, except that the owner may close it at any time.
 */
public interface Breakable extends AutoCloseable {

	/** Kills it, as {@code kill -9} does. It is gone when this method returns. */
	void kill();

	/** Stops it gracefully, as an operator would. It is gone when this method returns. */
	void stop();

	/**
	 * Starts it, for the first time or again. Returns when it is ready.
	 * @throws StartFailedException if it is not ready within its deadline, or is closed
	 * meanwhile
	 */
	void start();

	/**
	 * Suspends it, as SIGSTOP does: its connections stay open, but it does not answer.
	 */
	void freeze();

	/** Resumes it after {@link #freeze}. Does nothing if it runs. */
	void unfreeze();

	/**
	 * The processes of this machine that serve it, without their children. Empty if there
	 * are none, or if the system has no {@code /proc}.
	 */
	List<Long> processes();

	/**
	 * Ends it for good, even if it is frozen or its first start has failed. Any thread
	 * may call this at any time and repeatedly. A {@link #start()} in progress fails
	 * soon.
	 */
	@Override
	void close();

}
