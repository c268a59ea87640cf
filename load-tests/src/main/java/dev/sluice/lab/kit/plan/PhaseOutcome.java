package dev.sluice.lab.kit.plan;

import java.time.Instant;
import java.util.List;

import dev.sluice.contract.BackendAudit;

/**
 * How a phase ended; a measured one leaves it as a JSON file.
 *
 * @param name the phase's name
 * @param placed orders that users began
 * @param accepted orders that were answered 201 or 202
 * @param endedAt when the audit was read
 * @param audit the backend's audit of the phase
 * @param startLagP99Millis how late 99 % of the orders that were due by the clock, or
 * with the first, were begun at most, in milliseconds
 * @param windows of a warm-up, in order; empty for any other phase
 */
public record PhaseOutcome(String name, long placed, long accepted, Instant endedAt, BackendAudit audit,
		int startLagP99Millis, List<WarmUpWindow> windows) {

	public PhaseOutcome {
		windows = List.copyOf(windows);
	}

}
