package dev.sluice.consumer.backend;

/** Where orders are delivered to. */
public interface Backend {

	/**
	 * Delivers once and blocks until it is known what that came to, within a deadline.
	 * Never throws for what the backend or the network does. An interrupt ends it early,
	 * with the flag set.
	 */
	Attempt deliver(QueuedOrder order);

}
