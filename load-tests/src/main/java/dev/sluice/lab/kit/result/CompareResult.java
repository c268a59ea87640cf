package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import org.jspecify.annotations.Nullable;

/**
 * Gateways and modes under loads of one kind.
 *
 * @param cells in order of execution
 * @param leftOut cells not run, and why
 * @param scenario judgement of a scenario
 * @param length {@code smallest}, {@code quick} or {@code whole}
 */
@JsonTypeName("compare")
public record CompareResult(List<CellResult> cells, List<LeftOut> leftOut, @Nullable ScenarioResult scenario,
		@Nullable String length) implements Finding {

	public CompareResult {
		cells = List.copyOf(cells);
		leftOut = List.copyOf(leftOut);
	}

}
