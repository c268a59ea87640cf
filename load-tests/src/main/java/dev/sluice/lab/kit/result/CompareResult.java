package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import org.jspecify.annotations.Nullable;

/**
 * Gateways and modes under loads of orders.
 *
 * @param cells in the order they were run
 * @param leftOut what was planned or could be expected but was not run, and why
 * @param scenario the judgement of a scenario; null of a sweep
 */
@JsonTypeName("compare")
public record CompareResult(List<CellResult> cells, List<LeftOut> leftOut,
		@Nullable ScenarioResult scenario) implements Finding {

	public CompareResult {
		cells = List.copyOf(cells);
		leftOut = List.copyOf(leftOut);
	}

}
