package dev.sluice.lab.compare.page;

import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The waits against the rate that is offered, and the rate up to which each variant keeps
 * up.
 */
final class RateOverview {

	/**
	 * A variant that saves orders at less than this share of the offered rate falls
	 * behind.
	 */
	private static final double KEEPS_UP = 0.95;

	private RateOverview() {
	}

	/**
	 * The highest rates with which the variants of each mode keep up, and how long
	 * clients wait at the highest of all, a sentence for each backend.
	 */
	static List<String> answers(RunResult run) {
		return CellGroup.by(CellGroup::capacity, CellGroup.of(run))
			.entrySet()
			.stream()
			.map((backend) -> "%s: %s.".formatted(Coordinates.backend(backend.getKey()),
					CellGroup.by(CellGroup::mode, backend.getValue())
						.entrySet()
						.stream()
						.map((mode) -> answer(mode.getKey(), mode.getValue()))
						.collect(Collectors.joining("; "))))
			.toList();
	}

	private static String answer(String mode, List<CellGroup> groups) {
		IntSummaryStatistics kept = CellGroup.by(CellGroup::series, groups)
			.values()
			.stream()
			.mapToInt(RateOverview::keptUp)
			.summaryStatistics();
		String from = Figures.count(kept.getMin());
		String to = Figures.count(kept.getMax());
		return ((kept.getMax() == 0) ? "%s keeps up with none of these rates".formatted(mode)
				: "%s keeps up with %s/s".formatted(mode, from.equals(to) ? from : from + " to " + to)) + waits(groups);
	}

	/** The waits at the highest rate; empty if one is not known. */
	private static String waits(List<CellGroup> groups) {
		int rate = groups.stream().mapToInt(CellGroup::size).max().orElse(0);
		List<CellGroup> most = groups.stream().filter((group) -> group.size() == rate).toList();
		Optional<String> answered = range(most, CellResult::acceptedP50);
		Optional<String> saved = range(most, CellResult::savedP50);
		if (answered.isEmpty() || saved.isEmpty()) {
			return "";
		}
		double failed = most.stream().mapToDouble(CellGroup::failedShare).max().orElse(0);
		return ", %s it answers after %s ms and saves after %s ms%s".formatted(
				Reliability.sign("at %s/s".formatted(Figures.count(rate)), most.stream().anyMatch(CellGroup::marked)),
				answered.get(), saved.get(),
				(failed > 0) ? ", and up to %s of the calls fail".formatted(Figures.percent(failed)) : "");
	}

	/** The medians of the variants, from the least to the greatest. */
	private static Optional<String> range(List<CellGroup> variants, Function<CellResult, @Nullable Double> figure) {
		List<Double> medians = variants.stream()
			.flatMap((group) -> Stream.ofNullable(group.median(figure)))
			.sorted()
			.toList();
		return (medians.size() < variants.size()) ? Optional.empty()
				: Optional.of(Stream.of(medians.getFirst(), medians.getLast())
					.map(Figures::measured)
					.distinct()
					.collect(Collectors.joining(" to ")));
	}

	/**
	 * The highest rate such that a series keeps up with it and all lower ones; 0 if it
	 * does with none.
	 */
	private static int keptUp(List<CellGroup> series) {
		return series.stream()
			.takeWhile((group) -> group.cells()
				.stream()
				.allMatch((cell) -> cell.savedPerSecond() >= KEEPS_UP * group.size()))
			.mapToInt(CellGroup::size)
			.max()
			.orElse(0);
	}

	static void write(RunResult run, Html html) {
		html.charts(Waits.charts(CellGroup.of(run)));
		html.list(CellTables.bottlenecks(run));
		html.note(
				"A rate is kept up with if orders are saved at %s of it, from the first to the last, in every repetition, and all smaller rates are. Waits count from when an order was due."
					.formatted(Figures.percent(KEEPS_UP)));
	}

}
