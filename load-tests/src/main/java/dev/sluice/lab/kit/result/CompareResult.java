package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import org.jspecify.annotations.Nullable;

/**
 * Gateways and modes under loads of orders of one kind.
 *
 * @param cells in the order they were run
 * @param leftOut what was planned or could be expected but was not run, and why
 * @param scenario the judgement of a scenario; null of a sweep
 * @param warmUps in the order they were run; empty where the warm-up is a number of
 * orders
 * @param setup what bounds the rates; null where it is not known
 */
@JsonTypeName("compare")
public record CompareResult(List<CellResult> cells, List<LeftOut> leftOut, @Nullable ScenarioResult scenario,
		List<WarmUpCurve> warmUps, @Nullable Setup setup) implements Finding {

	public CompareResult {
		cells = List.copyOf(cells);
		leftOut = List.copyOf(leftOut);
		warmUps = List.copyOf(warmUps);
	}

	/** Cells alone. */
	public CompareResult(List<CellResult> cells, List<LeftOut> leftOut, @Nullable ScenarioResult scenario) {
		this(cells, leftOut, scenario, List.of(), null);
	}

	/**
	 * The warm-up before some cells.
	 *
	 * @param round that it began
	 * @param windows one after another
	 * @param within which the last two must agree, as a share of the greater
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
	 * Bounds that were set.
	 *
	 * @param deliveryConcurrency orders that the consumer delivers at once, at most
	 * @param backendMillis that a backend takes for an order, by its name; those alone
	 * that take a fixed time
	 */
	public record Setup(int deliveryConcurrency, Map<String, Long> backendMillis) {

		public Setup {
			backendMillis = Map.copyOf(backendMillis);
		}

	}

}
