package dev.sluice.lab.compare.figures;

import java.util.List;
import java.util.Optional;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;

/** Whether a comparison may answer its question. */
public final class Conclusion {

	private Conclusion() {
	}

	/**
	 * Why nothing is concluded from a run, in a sentence: by design, because most of its
	 * cells are unreliable, or because one of its checks fails. Empty if something is.
	 */
	public static Optional<String> refusal(RunResult run) {
		List<CellResult> cells = run.cells();
		if (cells.isEmpty()) {
			return Optional.empty();
		}
		if (run.finding() instanceof CompareResult compare && "smallest".equals(compare.length())) {
			return Optional.of("Everything works. This was the smallest run, which concludes nothing about the modes.");
		}
		long unreliable = cells.stream().filter(Reliability::unusable).count();
		// First, because a busy machine makes checks fail, too.
		if (unreliable * 2 <= cells.size()) {
			return run.checks()
				.stream()
				.filter((check) -> !check.holds())
				.findFirst()
				.map((check) -> "Nothing is concluded: a check of this run failed (%s: %s).".formatted(check.what(),
						check.detail()));
		}
		double[] foreign = cells.stream()
			.mapToDouble((cell) -> (cell.foreignCpuShare() != null) ? cell.foreignCpuShare() : 0)
			.filter((share) -> share > Reliability.FOREIGN_CPU_LIMIT)
			.sorted()
			.toArray();
		return Optional.of("Nothing is concluded: %s of %s cells are unreliable%s.%s".formatted(unreliable,
				cells.size(),
				(foreign.length > 0) ? ", %s of them because other processes used up to %s of the machine's CPU"
					.formatted(foreign.length, Figures.percent(foreign[foreign.length - 1])) : "; the report says why",
				(foreign.length > 0) ? " Measure again while nothing else runs." : ""));
	}

}
