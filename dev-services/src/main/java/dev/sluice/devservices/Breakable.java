package dev.sluice.devservices;

/**
 * Faults that can be injected into a running server. The server keeps its address and its
 * data: what it acknowledged before {@link #kill} is there after {@link #start}, unless
 * the machine itself went down.
 * <p>
 * Not thread-safe, except that the owner may close the server at any time.
 */
public interface Breakable {

	/** Kills it, as {@code kill -9} does. It is gone when this method returns. */
	void kill();

	/** Stops it gracefully, as an operator would. It is gone when this method returns. */
	void stop();

	/**
	 * Starts it again after {@link #kill} or {@link #stop}. Returns when it is ready.
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

}
