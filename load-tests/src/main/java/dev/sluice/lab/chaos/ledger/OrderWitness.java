package dev.sluice.lab.chaos.ledger;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import org.jspecify.annotations.Nullable;

/**
 * Knows how far orders have come. Thread-safe. Each question has a deadline. Without an
 * answer it throws a {@link dev.sluice.lab.kit.stack.LabException}, as the audit would
 * prove nothing.
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
	 * Returns when no more orders are being saved, as far as the witness can know.
	 * @param deadlineNanos of {@link System#nanoTime}
	 * @param progress gets a line of text about the progress
	 */
	void awaitQuiet(long deadlineNanos, Consumer<String> progress) throws InterruptedException;

	/** How far an order has come; null if the witness does not know the order. */
	@Nullable Fate fate(UUID id) throws InterruptedException;

	/** Totals over all orders. */
	BackendAudit counts() throws InterruptedException;

	@Override
	void close();

}
