package dev.sluice.lab.kit.plan;

import java.time.Instant;
import java.util.List;

import dev.sluice.contract.BackendAudit;

/**
 * What a measured phase leaves as JSON when it ends, and a warm-up.
 *
 * @param name the phase's
 * @param placed orders that users began with
 * @param accepted orders that were answered 201 or 202
 * @param givenUp orders that were not, within the tries and the deadline
 * @param endedAt when the audit was read
 * @param audit what the backend has seen of the phase
 * @param startLagP99Millis how late 99 % of the orders that were due by the clock, or
 * with the first, were begun at most, in milliseconds
 * @param windows of a warm-up, one after another; empty of another phase
 */
public record PhaseOutcome(String name, long placed, long accepted, long givenUp, Instant endedAt, BackendAudit audit,
		int startLagP99Millis, List<WarmUpWindow> windows) {

	public PhaseOutcome {
		windows = List.copyOf(windows);
	}

}
