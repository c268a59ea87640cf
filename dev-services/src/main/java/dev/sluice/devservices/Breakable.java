package dev.sluice.devservices;

/**
 * What can be done to a running server to see what becomes of those who need it. Its
 * address and its data stay: what it had acknowledged before {@link #kill} is there after
 * {@link #start}, as long as the machine itself does not go down with it.
 * <p>
 * For one thread at a time; whoever owns the server may close it meanwhile.
 */
public interface Breakable {

	/** Ends it at once, as {@code kill -9}. It is gone when this returns. */
	void kill();

	/** Stops it as its operator would, with time to finish. It is gone then. */
	void stop();

	/**
	 * Starts it again after {@link #kill} or {@link #stop}; returns when it serves.
	 * @throws StartFailedException if it does not within its deadline, or if it was
	 * closed meanwhile
	 */
	void start();

	/** Lets it run no further, as SIGSTOP: connections stay and nobody answers. */
	void freeze();

	/** Lets it run on after {@link #freeze}; does nothing to one that runs. */
	void thaw();

}
