package dev.sluice.consumer.backend;

import java.util.UUID;

import dev.sluice.consumer.backend.Attempt.Saved;
import org.jspecify.annotations.Nullable;

/** The destination of deliveries. */
public interface Backend {

	/**
	 * Delivers an order once and blocks until the result is known, within a deadline. A
	 * failure of the backend or of the network is a result, not an exception. An
	 * interrupt ends the attempt early, and the interrupt flag stays set.
	 */
	Attempt deliver(QueuedOrder order);

	/**
	 * Asks whether the backend has saved an order, an attempt of which got no answer.
	 * Blocks within a deadline and is interrupted as {@link #deliver} is.
	 * @return null if that is not known
	 */
	default @Nullable Saved find(UUID id) {
		return null;
	}

}
