package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import org.jspecify.annotations.Nullable;

/**
 * Gateways and modes under loads of one kind.
 *
 * @param cells in order of execution
 * @param leftOut cells not run, and why
 * @param scenario judgement of a scenario
 * @param warmUps empty where the warm-up is a number of orders
 * @param setup limits that bound the rates
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
	 * @param round that it began
	 * @param windows in order
	 * @param within difference at which the last two agree, as a share of the greater
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
	 * @param deliveryConcurrency the consumer's
	 * @param backendMillis fixed time for an order, by backend
	 */
	public record Setup(int deliveryConcurrency, Map<String, Long> backendMillis) {

		public Setup {
			backendMillis = Map.copyOf(backendMillis);
		}

		/**
		 * The most orders per second that the load or the consumer's limit lets through
		 * to a backend with a fixed time per order: a limit of W orders that take L
		 * seconds each is a ceiling of W / L, whatever the gateway does. Ignores the
		 * backend's own limit. Empty if unknown.
		 */
		public OptionalDouble ceiling(String capacity, String mode, Load load) {
			long millis = this.backendMillis.getOrDefault(capacity, 0L);
			if (millis == 0) {
				return OptionalDouble.empty();
			}
			if (mode.equals(Mode.QUEUED.label())) {
				return OptionalDouble.of(this.deliveryConcurrency * 1_000.0 / millis);
			}
			return (load.kind() == Load.Kind.IN_FLIGHT) ? OptionalDouble.of(load.size() * 1_000.0 / millis)
					: OptionalDouble.empty();
		}

	}

}
