package dev.sluice.lab.chaos.ledger;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import org.jspecify.annotations.Nullable;

/**
 * Knows what became of orders. For any number of threads. Each question has a deadline;
 * one that is not answered is a {@link dev.sluice.lab.kit.stack.LabException}, as an
 * audit would prove nothing then.
 */
public interface OrderWitness extends AutoCloseable {

	/**
	 * How far an order has come.
	 *
	 * @param savedAt when it was saved, by the backend's clock; null if it is not saved
	 * or the witness does not know
	 */
	record Fate(OrderStatus status, @Nullable Instant savedAt) {
	}

	/**
	 * Returns when no more orders come to be saved, as far as that can be known.
	 * @param deadlineNanos of {@link System#nanoTime}
	 * @param progress is told how far it is
	 */
	void awaitQuiet(long deadlineNanos, Consumer<String> progress) throws InterruptedException;

	/** How far an order has come by now; null if the witness does not know it. */
	@Nullable Fate fate(UUID id) throws InterruptedException;

	/** What it counts over all orders; null if it does not count. */
	@Nullable BackendAudit counts() throws InterruptedException;

	@Override
	void close();

}
