package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import org.jspecify.annotations.Nullable;

/**
 * Gateways and modes under loads of one kind.
 *
 * @param cells in the order they were run
 * @param leftOut cells that were planned or could be expected but were not run, and why
 * @param scenario the judgement of a scenario; null for a sweep
 * @param warmUps in the order they were run; empty where the warm-up is a number of
 * orders
 * @param setup limits that bound the rates; null where they are not known
 */
@JsonTypeName("compare")
public record CompareResult(List<CellResult> cells, List<LeftOut> leftOut, @Nullable ScenarioResult scenario,
		List<WarmUpCurve> warmUps, @Nullable Setup setup) implements Finding {

	public CompareResult {
		cells = List.copyOf(cells);
		leftOut = List.copyOf(leftOut);
		warmUps = List.copyOf(warmUps);
	}

	/** A result without warm-ups and setup. */
	public CompareResult(List<CellResult> cells, List<LeftOut> leftOut, @Nullable ScenarioResult scenario) {
		this(cells, leftOut, scenario, List.of(), null);
	}

	/**
	 * The warm-up before some cells.
	 *
	 * @param round the round that it began
	 * @param windows the windows in order
	 * @param within greatest difference at which the last two agree, as a share of the
	 * greater
	 */
	public record WarmUpCurve(String round, List<WarmUpWindow> windows, double within) {

		public WarmUpCurve {
			windows = List.copyOf(windows);
		}

		public boolean settled() {
			return WarmUpWindow.isWarm(this.windows, this.within);
		}

	}

	/**
	 * The configured limits.
	 *
	 * @param deliveryConcurrency maximum number of orders that the consumer delivers at
	 * once
	 * @param backendMillis time that a backend takes for an order, by its name; only for
	 * backends with a fixed time
	 */
	public record Setup(int deliveryConcurrency, Map<String, Long> backendMillis) {

		public Setup {
			backendMillis = Map.copyOf(backendMillis);
		}

	}

}
