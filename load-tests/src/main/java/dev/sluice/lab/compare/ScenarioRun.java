package dev.sluice.lab.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load.Kind;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.ScenarioResult;
import dev.sluice.lab.kit.result.ScenarioResult.Judgement;
import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.Scenario.Limits;

import static dev.sluice.lab.kit.cell.Load.Kind.BURST;
import static dev.sluice.lab.kit.cell.Load.Kind.OFFERED;

/**
 * Runs a scenario as a comparison.
 *
 * @param name the scenario's, and its backend's in the results
 */
record ScenarioRun(String name, Scenario scenario) {

	private static final int WARM_UP_ORDERS = 4_000;

	/** Seed for the order of its cells, the same each time. */
	static final long SEED = 1;

	/** Its cells. */
	ComparePlan plan() {
		Scenario.Load load = this.scenario.load();
		Scenario.Services services = this.scenario.services();
		Sweep sweep = new Sweep(services.gateways().stream().map(Gateway::of).toList(), load.modes(),
				List.of(new BackendModel(this.name, this.scenario.backend())), kind(),
				(kind() == OFFERED) ? load.rates() : load.orders(), load.repetitions(), SEED, false);
		CellLoad burst = CellLoad.burst(load.deadlineSeconds() * 1_000L, WARM_UP_ORDERS);
		CellLoad chosen = new CellLoad(kind(), load.inFlight(), load.items(), load.seconds() * 1_000L, 1,
				burst.deadlineMillis(), (kind() == OFFERED) ? Settling.WHOLE : burst.settling(), burst.warmUpOrders());
		return new ComparePlan(sweep.blocks(), sweep.backends(), chosen, services.heap(), services.collector().option(),
				services.deliveryConcurrency());
	}

	private Kind kind() {
		return this.scenario.load().rates().isEmpty() ? BURST : OFFERED;
	}

	/**
	 * Compares the cells with the scenario's limits, except those that other processes
	 * disturbed.
	 */
	ScenarioResult judge(List<CellResult> cells) {
		return new ScenarioResult(this.name, this.scenario.question(), limits(),
				cells.stream()
					.filter((cell) -> cell.foreignCpuShare() == null || !Reliability.disturbed(cell.foreignCpuShare()))
					.map((cell) -> new Judgement(cell.cell(), missed(cell)))
					.toList());
	}

	private List<String> limits() {
		Limits limits = this.scenario.limits();
		List<String> words = new ArrayList<>();
		if (limits.p99Millis() != null) {
			words.add(String.format(Locale.ROOT, "p99 of an accepted call at most %,d ms", limits.p99Millis()));
		}
		if (limits.failedShare() != null) {
			words.add(String.format(Locale.ROOT, "at most %.1f %% of the calls fail", limits.failedShare() * 100));
		}
		if (limits.savedPerSecond() != null) {
			words.add(String.format(Locale.ROOT, "at least %,d orders saved per second", limits.savedPerSecond()));
		}
		return words;
	}

	private List<String> missed(CellResult cell) {
		Limits limits = this.scenario.limits();
		List<String> missed = new ArrayList<>();
		if (cell.problem() != null) {
			missed.add(cell.problem());
		}
		if (limits.p99Millis() != null) {
			if (cell.latency() == null) {
				missed.add("no call was accepted");
			}
			else if (cell.latency().p99AtMost() + late(cell) > limits.p99Millis()) {
				missed.add(String.format(Locale.ROOT, "%s %,.0f ms",
						(cell.latency().p99() != null) ? "p99" : "too few calls for a p99, the slowest",
						cell.latency().p99AtMost())
						+ ((late(cell) > 0) ? String.format(Locale.ROOT, ", started up to %,d ms late", late(cell))
								: ""));
			}
		}
		double failed = (cell.calls() > 0) ? (double) cell.failedCalls() / cell.calls() : 0;
		if (limits.failedShare() != null && failed > limits.failedShare()) {
			missed.add(String.format(Locale.ROOT, "%.1f %% of the calls failed", failed * 100));
		}
		if (limits.savedPerSecond() != null && cell.savedPerSecond() < limits.savedPerSecond()) {
			missed.add(String.format(Locale.ROOT, "%,.0f orders saved per second", cell.savedPerSecond()));
		}
		return missed;
	}

	/**
	 * Greatest delay with which orders due by the clock were started, in milliseconds.
	 */
	private int late(CellResult cell) {
		return (kind() == OFFERED && cell.startLagP99Millis() != null) ? cell.startLagP99Millis() : 0;
	}

}
