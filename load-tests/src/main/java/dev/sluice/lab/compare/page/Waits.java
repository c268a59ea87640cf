package dev.sluice.lab.compare.page;

import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The waits of the clients of each series, and the rate up to which each variant keeps
 * up.
 */
final class Waits {

	/** With less than this share of the offered rate a variant falls behind. */
	private static final double KEEPS_UP = 0.95;

	private Waits() {
	}

	static Section section(RunResult run) {
		Section section = new Section("wait", "What a client waits for");
		section.paragraph(
				"From an order's first try until the backend has saved it: failed calls, pauses and retries are in it, for both modes the same end. Lower is better. “Answered” is until the order is accepted. A percentile with fewer than ten orders above it, or whose order was never saved, is left out (%s); percentiles are medians of the repetitions."
					.formatted(Figures.NONE));
		if (run.cells().stream().noneMatch((cell) -> cell.cell().load().kind() == Load.Kind.OFFERED)) {
			section.element("p",
					"A closed model: a client waits before it places its next order, so stalls are under-represented. lab compare --rates has none of that.",
					"class", "caution");
		}
		List<CellGroup> groups = CellGroup.of(run)
			.stream()
			.filter((group) -> group.cells()
				.stream()
				.anyMatch((cell) -> cell.toSaved() != null || cell.latency() != null))
			.toList();
		if (groups.isEmpty()) {
			section.paragraph("No wait was measured.");
			return section;
		}
		if (groups.getFirst().load().kind() == Load.Kind.OFFERED) {
			// Their charts answer the run's question, so they come first on the page.
			section.details("Waits in milliseconds", table(groups));
		}
		else {
			section.charts(charts(groups), table(groups));
		}
		return section;
	}

	/** The median waits over the load, until answered and until saved, by backend. */
	static List<Chart.Lines> charts(List<CellGroup> groups) {
		return CellGroup.by(CellGroup::capacity, groups)
			.values()
			.stream()
			.flatMap((own) -> Stream.of(chart("answered", own, CellResult::acceptedP50),
					chart("saved", own, CellResult::savedP50)))
			.filter((chart) -> !chart.lines().isEmpty())
			.toList();
	}

	private static Chart.Lines chart(String until, List<CellGroup> groups,
			Function<CellResult, @Nullable Double> figure) {
		CellGroup first = groups.getFirst();
		return new Chart.Lines("%s: wait until %s".formatted(CellGroup.backend(first.capacity()), until),
				first.load().kind().words(), "median, milliseconds", "fastest to slowest repetition", false, null,
				CellGroup.sizes(groups),
				ComparePage.lines(groups, (series) -> "%s, %s".formatted(series.mode(), series.variant()), figure));
	}

	private static Table table(List<CellGroup> groups) {
		return CellTables.table("Waits in milliseconds", groups,
				CellTables.coordinates((group) -> group.cells().getFirst().cell(), CellGroup::marked),
				Column.measured("saved p50", (group) -> group.median(CellResult::toSaved, Wait::p50)),
				Column.measured("saved p95", (group) -> group.median(CellResult::toSaved, Wait::p95)),
				Column.measured("saved p99", (group) -> group.median(CellResult::toSaved, Wait::p99)),
				Column.measured("answered p50", (group) -> group.median(CellResult::toAccepted, Wait::p50)),
				Column.measured("answered p95", (group) -> group.median(CellResult::toAccepted, Wait::p95)),
				Column.measured("answered p99", (group) -> group.median(CellResult::toAccepted, Wait::p99)),
				Column.measured("a call's own p50", (group) -> group.median(CellResult::latency, Timing::p50)),
				Column.measured("its p99", (group) -> group.median(CellResult::latency, Timing::p99)),
				Column.percent("calls failed", CellGroup::failedShare),
				Column.count("orders never saved",
						(group) -> group.cells()
							.stream()
							.map(CellResult::toSaved)
							.filter(Objects::nonNull)
							.mapToLong(Wait::unfinished)
							.sum()));
	}

	/**
	 * The highest rates with which the variants of each mode keep up, and how long
	 * clients wait at the highest of all, a sentence for each backend.
	 */
	static List<String> answers(RunResult run) {
		return CellGroup.by(CellGroup::capacity, CellGroup.of(run))
			.entrySet()
			.stream()
			.map((backend) -> "%s: %s.".formatted(CellGroup.backend(backend.getKey()),
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
			.mapToInt(Waits::keptUp)
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

	static Section rates(RunResult run) {
		Section section = new Section("rates", "Which rate does each mode keep up with?");
		section.answers(ComparePage.refusal(run).isPresent() ? List.of() : answers(run));
		section.charts(charts(CellGroup.of(run)));
		section.list(CellTables.bottlenecks(run));
		section.note(
				"A rate is kept up with if orders are saved at %s of it, from the first to the last, in every repetition, and all smaller rates are. Waits count from when an order was due."
					.formatted(Figures.percent(KEEPS_UP)));
		return section;
	}

}
