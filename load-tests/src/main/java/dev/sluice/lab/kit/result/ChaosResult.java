package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of orders that were placed while the system was being broken.
 *
 * @param seed of the schedule
 * @param ratePerSecond orders due each second
 * @param syncShare share of them asked to be saved before the answer, 0 to 1
 * @param balance null if the run ended before it could be audited
 * @param customerOrder null likewise
 * @param faults in the order they began
 * @param seconds from the first order due until everything was settled
 * @param violations the first ids of orders that break the balance, and how; all are in
 * the file {@code violations.csv}
 * @param latestMillis how late the latest order was sent, in milliseconds: the load
 * generator's own fault
 */
@JsonTypeName("chaos")
public record ChaosResult(long seed, double ratePerSecond, double syncShare, @Nullable Balance balance,
		@Nullable CustomerOrder customerOrder, List<Fault> faults, List<Second> seconds, List<String> violations,
		long latestMillis) implements Finding {

	public ChaosResult {
		faults = List.copyOf(faults);
		seconds = List.copyOf(seconds);
		violations = List.copyOf(violations);
	}

	/** Whether it was audited and every promise was kept. */
	public boolean holds() {
		return this.balance != null && this.balance.holds() && this.customerOrder != null && this.customerOrder.holds();
	}

	/**
	 * Whether each customer's queued orders were saved in the order in which they were
	 * accepted. An order comes after another of its customer if it was first sent after
	 * that one's 202.
	 *
	 * @param promised whether {@code delivery.ordering} is {@code key}
	 * @param customers number of customers
	 * @param consumers number of consumers that share the work
	 * @param compared saved orders that come after another one
	 * @param inversions those saved before one that they come after; breaks the balance
	 * if order is promised
	 */
	public record CustomerOrder(boolean promised, int customers, int consumers, int compared, int inversions) {

		/** Whether the promise, if there is one, was kept and could have been broken. */
		public boolean holds() {
			return !this.promised || (this.compared > 0 && this.inversions == 0);
		}

	}

	/**
	 * The orders, each counted once: placed = accepted + refused + in doubt, and accepted
	 * = saved + failed + lost.
	 *
	 * @param placed orders tried at least once
	 * @param attempts requests sent for them
	 * @param acceptedSync answered 201
	 * @param acceptedQueued answered 202
	 * @param saved accepted, and the backend has it
	 * @param failed accepted, and a gateway says that it failed and why
	 * @param lost accepted, but neither saved nor failed: breaks the balance
	 * @param refused never accepted, and each answer promised that nothing was taken
	 * @param refusedButSaved refused, but saved: breaks the balance
	 * @param inDoubt never accepted, and an answer is missing or left open whether the
	 * order was taken
	 * @param inDoubtSaved in doubt and saved: allowed
	 * @param doubled orders that the backend has besides those placed, because an order
	 * was given two ids: breaks the balance
	 * @param misnamed accepted under another id than follows from customer and key:
	 * breaks the balance
	 * @param repeatsAbsorbed deliveries that the backend recognised as repeats
	 * @param backendSaved orders that the backend has
	 */
	public record Balance(int placed, long attempts, int acceptedSync, int acceptedQueued, int saved, int failed,
			int lost, int refused, int refusedButSaved, int inDoubt, int inDoubtSaved, long doubled, int misnamed,
			long repeatsAbsorbed, long backendSaved) {

		public int accepted() {
			return this.acceptedSync + this.acceptedQueued;
		}

		/** Whether no order was lost or doubled. */
		public boolean holds() {
			return this.lost == 0 && this.refusedButSaved == 0 && this.doubled == 0 && this.misnamed == 0;
		}

		/** Repeats among all deliveries that reached the ledger, 0 to 1. */
		public double redeliveredShare() {
			long deliveries = this.backendSaved + this.repeatsAbsorbed;
			return (deliveries > 0) ? (double) this.repeatsAbsorbed / deliveries : 0;
		}

	}

	/**
	 * A fault as it happened.
	 *
	 * @param target what was broken, such as {@code gateway reactive}
	 * @param kind how it was broken
	 * @param beganMillis when, since the load began
	 * @param healedMillis when it ran again and was ready, likewise
	 * @param syncGapMillis the longest time without an accepted sync order, from the
	 * fault's beginning until the first order accepted after its end; null if none was
	 * accepted any more
	 * @param queuedGapMillis likewise, queued
	 */
	public record Fault(String target, String kind, long beganMillis, long healedMillis, @Nullable Long syncGapMillis,
			@Nullable Long queuedGapMillis) {
	}

	/**
	 * One second.
	 *
	 * @param second since the load began
	 * @param acceptedSync orders answered 201
	 * @param acceptedQueued orders answered 202
	 * @param failedSync sync attempts with another answer or none
	 * @param failedQueued queued attempts likewise
	 * @param saved orders that the backend saved; null while it did not say
	 */
	public record Second(int second, int acceptedSync, int acceptedQueued, int failedSync, int failedQueued,
			@Nullable Integer saved) {
	}

}
