package dev.sluice.consumer.backend;

/** The destination of deliveries. */
public interface Backend {

	/**
	 * Delivers an order once and blocks until the result is known, within a deadline. A
	 * failure of the backend or of the network is a result, not an exception. An
	 * interrupt ends the attempt early, and the interrupt flag stays set.
	 */
	Attempt deliver(QueuedOrder order);

}
