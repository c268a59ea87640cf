package dev.sluice.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a run's figures agree with each other, and its cells with the load
 * generator's outcomes.
 */
final class Consistency {

	/** Directory of the load generator's outcomes, one for each measured phase. */
	private static final String OUTCOMES = "outcomes";

	/** Relative tolerance, as the file has all digits of the rate. */
	private static final double ROUNDING = 1e-6;

	private static final int MAX_NAMED = 5;

	private Consistency() {
	}

	/** The checks; empty if the run has no cells with orders. */
	static List<Check> of(RunResult run, Path directory) throws IOException {
		if (!(run.finding() instanceof CompareResult compare)) {
			return List.of();
		}
		List<Check> checks = new ArrayList<>(List.of(figures(run)));
		if (run.partial() == null && Files.isDirectory(directory.resolve(OUTCOMES))) {
			checks.add(outcomes(run, compare.warmUps().size(), directory.resolve(OUTCOMES)));
		}
		return checks;
	}

	private static Check figures(RunResult run) {
		List<String> wrong = new ArrayList<>();
		Set<Cell> seen = new HashSet<>();
		for (CellResult cell : run.cells()) {
			if (!seen.add(cell.cell())) {
				wrong.add("%s appears twice".formatted(cell.cell()));
			}
			wrongFigures(cell).forEach((why) -> wrong.add("%s: %s".formatted(cell.cell(), why)));
		}
		String detail = wrong.isEmpty() ? "%,d cells".formatted(run.cells().size())
				: String.join("; ", wrong.subList(0, Math.min(MAX_NAMED, wrong.size())))
						+ ((wrong.size() > MAX_NAMED) ? "; and %,d more".formatted(wrong.size() - MAX_NAMED) : "");
		return new Check("Rates follow from orders saved and time, and calls from answered and failed", wrong.isEmpty(),
				detail);
	}

	private static List<String> wrongFigures(CellResult cell) {
		List<String> wrong = new ArrayList<>();
		double seconds = Duration.between(cell.start(), cell.end()).toNanos() / 1e9;
		double perSecond = (seconds > 0) ? cell.saved() / seconds : 0;
		if (!(Math.abs(cell.savedPerSecond() - perSecond) <= ROUNDING * Math.max(1, perSecond))) {
			wrong.add("%,.3f orders per second, and %,d in %,.3f s are %,.3f".formatted(cell.savedPerSecond(),
					cell.saved(), seconds, perSecond));
		}
		long failures = cell.failures().values().stream().mapToLong(Long::longValue).sum();
		if (failures != cell.failedCalls()) {
			wrong.add("%,d failed calls, and by their reasons %,d".formatted(cell.failedCalls(), failures));
		}
		if (cell.calls() != cell.accepted() + cell.failedCalls()) {
			wrong.add("%,d calls, of which %,d were accepted and %,d failed".formatted(cell.calls(), cell.accepted(),
					cell.failedCalls()));
		}
		if (cell.problem() == null) {
			wrongWait("accepted", cell.toAccepted(), cell.accepted()).ifPresent(wrong::add);
			wrongWait("saved", cell.toSaved(), cell.saved()).ifPresent(wrong::add);
		}
		return wrong;
	}

	/** Each order has either ended or still waits. */
	private static Optional<String> wrongWait(String end, @Nullable Wait wait, long ended) {
		if (wait == null || wait.orders() - wait.unfinished() == ended) {
			return Optional.empty();
		}
		return Optional.of("%,d orders %s, and by their waits %,d of %,d".formatted(ended, end,
				wait.orders() - wait.unfinished(), wait.orders()));
	}

	/** A complete run has one outcome for each cell and warm-up, and no others. */
	private static Check outcomes(RunResult run, int warmUps, Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			long outcomes = files.filter((file) -> file.toString().endsWith(".json")).count();
			int results = run.cells().size() + warmUps;
			return new Check("Each cell and warm-up that the load generator ended has a result", outcomes == results,
					"%,d ended, %,d results".formatted(outcomes, results));
		}
	}

}
