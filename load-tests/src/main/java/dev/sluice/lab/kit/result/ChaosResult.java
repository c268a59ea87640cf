package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of orders that were placed while the system was being broken.
 *
 * @param balance null if the run ended before the audit
 * @param faults in order of their start
 * @param seconds from the first order until everything was settled
 * @param violations first orders that break the balance, and how; all are in
 * {@code violations.csv}
 * @param latestMillis greatest lateness of the load generator
 */
@JsonTypeName("chaos")
public record ChaosResult(@Nullable Balance balance, List<Fault> faults, List<Second> seconds, List<String> violations,
		long latestMillis) implements Finding {

	public ChaosResult {
		faults = List.copyOf(faults);
		seconds = List.copyOf(seconds);
		violations = List.copyOf(violations);
	}

	/** Whether it was audited and every promise was kept. */
	public boolean holds() {
		return this.balance != null && this.balance.holds();
	}

	/**
	 * The orders, each counted once: placed = accepted + refused + in doubt, and accepted
	 * = saved + failed + lost.
	 *
	 * @param placed orders tried at least once
	 * @param attempts requests sent for them
	 * @param acceptedSync answered 201
	 * @param acceptedQueued answered 202
	 * @param saved accepted and saved
	 * @param failed accepted, and a gateway says that it failed and why
	 * @param lost accepted, neither saved nor failed: a violation
	 * @param refused not accepted, and each answer promised that nothing was taken
	 * @param refusedButSaved refused, but saved: a violation
	 * @param inDoubt not accepted, and some answer is missing or open
	 * @param inDoubtSaved in doubt and saved
	 * @param doubled orders that the backend has besides those placed: a violation
	 * @param misnamed accepted under a wrong id: a violation
	 * @param repeatsAbsorbed repeated deliveries that the backend recognized
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
	 * @param kind how
	 * @param beganMillis since the load began
	 * @param healedMillis ready again, since the load began
	 */
	public record Fault(String target, String kind, long beganMillis, long healedMillis) {
	}

	/**
	 * One second.
	 *
	 * @param second since the load began
	 * @param acceptedSync answered 201
	 * @param acceptedQueued answered 202
	 * @param failedSync other attempts
	 * @param failedQueued likewise
	 * @param saved orders saved by the backend
	 */
	public record Second(int second, int acceptedSync, int acceptedQueued, int failedSync, int failedQueued,
			@Nullable Integer saved) {
	}

}
