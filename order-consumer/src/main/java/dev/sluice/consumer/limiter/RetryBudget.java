package dev.sluice.consumer.limiter;

import java.util.function.IntSupplier;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Counts the failed attempts that count against one order. Confined to the thread of its
 * delivery.
 * <p>
 * A failure is judged once, right before the order would be tried again. It counts if the
 * backend saved another order after it and before that moment, so two failures of one
 * outage never both count, and if the circuit breaker has not opened in between.
 * <p>
 * A rejection that counts spends the budget at once, because the backend means the order.
 * So do as many rejections as failures would, if no other order failed in between: the
 * order is alone, and nothing else would ever end it.
 */
public final class RetryBudget {

	private final int maxAttempts;

	private final IntSupplier outages;

	private final IntSupplier unsaved;

	private int counted;

	private int judgedOutages;

	private @Nullable Failure last;

	private boolean lastIsRejection;

	/** Rejections since another order failed. */
	private int rejectionsAlone;

	/**
	 * @param maxAttempts number of failures that spends the budget
	 * @param outages how often the circuit breaker has opened so far
	 * @param unsaved failed and rejected attempts of any orders since the latest save
	 */
	RetryBudget(int maxAttempts, IntSupplier outages, IntSupplier unsaved) {
		this.maxAttempts = maxAttempts;
		this.outages = outages;
		this.unsaved = unsaved;
		this.judgedOutages = outages.getAsInt();
	}

	/**
	 * Records a failed attempt.
	 * @param failure null if it cannot count against the order
	 */
	public void failed(@Nullable Failure failure) {
		this.last = failure;
		this.lastIsRejection = false;
	}

	/**
	 * Records a rejected attempt.
	 * @param failure null if it cannot count against the order
	 */
	public void rejected(@Nullable Failure failure) {
		this.last = failure;
		this.lastIsRejection = true;
	}

	/** Judges the last failure. Called before each retry. */
	public boolean isSpent() {
		int outages = this.outages.getAsInt();
		boolean sameOutages = outages == this.judgedOutages;
		boolean counts = sameOutages && this.last != null && this.last.counts();
		if (!sameOutages) {
			this.judgedOutages = outages;
			this.rejectionsAlone = 0;
		}
		else if (this.lastIsRejection) {
			int rejections = this.rejectionsAlone + 1;
			this.rejectionsAlone = (this.unsaved.getAsInt() <= rejections) ? rejections : 0;
		}
		else if (counts) {
			this.counted++;
		}
		boolean rejected = this.lastIsRejection && (counts || this.rejectionsAlone >= this.maxAttempts);
		this.last = null;
		this.lastIsRejection = false;
		return rejected || this.counted >= this.maxAttempts;
	}

}
