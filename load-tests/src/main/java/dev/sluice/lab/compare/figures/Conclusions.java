package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Curve.Drop;
import dev.sluice.lab.compare.figures.Curve.Shape;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Second;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The conclusions of a run, in sentences. Each follows from the figures by a rule in this
 * class and is left out if the figures do not support it.
 */
public final class Conclusions {

	/** Pauses are named as the cause from this share of the window on. */
	static final double GC_SHARE = 0.10;

	/** The gateway's CPU is named as the cause from this share of the cores on. */
	static final double CPU_SHARE = 0.80;

	private final RunResult run;

	private final List<Curve> curves;

	public Conclusions(RunResult run) {
		this.run = run;
		this.curves = Curve.of(run);
	}

	public List<String> sentences() {
		List<String> sentences = new ArrayList<>();
		for (String capacity : Coordinates.capacities(this.run)) {
			shape(capacity, Coordinates.SYNC).ifPresent(sentences::add);
			shape(capacity, Coordinates.QUEUED).ifPresent(sentences::add);
		}
		cause().ifPresent(sentences::add);
		cpu().ifPresent(sentences::add);
		calls().ifPresent(sentences::add);
		saved().ifPresent(sentences::add);
		return sentences;
	}

	private Optional<String> shape(String capacity, String mode) {
		List<Curve> curves = curves(capacity, mode).stream().filter((c) -> c.shape() != Shape.UNKNOWN).toList();
		if (curves.isEmpty()) {
			return Optional.empty();
		}
		String subject = "Backend %s, %s: ".formatted(capacity, mode);
		Curve worstEnd = curves.stream().max(Comparator.comparingDouble((c) -> c.end().share())).orElseThrow();
		Curve worstDrop = curves.stream().max(Comparator.comparingDouble((c) -> c.largestDrop().share())).orElseThrow();
		long collapsed = count(curves, Shape.COLLAPSED);
		long held = count(curves, Shape.HELD);
		if (collapsed > 0) {
			return Optional.of(subject + "throughput collapsed in %s. Most in %s, %s.".formatted(of(collapsed, curves),
					worstEnd.series().variant(), worstEnd.end()));
		}
		Drop drop = worstDrop.largestDrop();
		String largest = (drop.share() > 0) ? "largest drop %s, %s".formatted(worstDrop.series().variant(), drop)
				: "it never dropped as the load rose";
		if (held == curves.size()) {
			return Optional.of(subject + "throughput held; %s.%s".formatted(largest, goal(mode, drop)));
		}
		return Optional.of(subject + "throughput sagged but did not collapse in %s; %s.%s"
			.formatted(of(curves.size() - held, curves), largest, goal(mode, drop)));
	}

	private static String goal(String mode, Drop drop) {
		if (!mode.equals(Coordinates.QUEUED)) {
			return "";
		}
		return " The goal, a drop of at most %s, was %s.".formatted(Figures.percent(Curve.GOAL_WITHIN),
				(drop.share() <= Curve.GOAL_WITHIN) ? "met" : "missed");
	}

	/**
	 * The cause of the deepest collapse of the sync mode: pauses, the gateway's CPU, or
	 * the backend. The first whose rule holds is named.
	 */
	private Optional<String> cause() {
		Optional<Curve> collapsed = this.curves.stream()
			.filter((c) -> c.series().mode().equals(Coordinates.SYNC) && c.shape() == Shape.COLLAPSED)
			.max(Comparator.comparingDouble((c) -> c.end().share()));
		if (collapsed.isEmpty()) {
			return Optional.empty();
		}
		Curve curve = collapsed.get();
		List<CellResult> cells = Coordinates.at(this.run, curve.series(), curve.last().size());
		String where = "In the deepest collapse (%s, %s) ".formatted(curve.series(), curve.last().load());
		Double paused = median(cells, Conclusions::pauseShare);
		String pauses = (paused != null) ? "GC paused the gateway for %s of the time".formatted(Figures.percent(paused))
				: "GC pauses were not measured";
		if (paused != null && paused >= GC_SHARE) {
			return Optional.of(where + pauses + ": the collector is a cause.");
		}
		Double cores = median(cells, Conclusions::coresUsed);
		if (cores != null && cores >= CPU_SHARE * this.run.environment().cores()) {
			return Optional.of(where + pauses + " and the gateway used %s of %s cores: it ran out of CPU."
				.formatted(Figures.measured(cores), Figures.count(this.run.environment().cores())));
		}
		Optional<Curve> unlimited = curves(Coordinates.UNLIMITED, Coordinates.SYNC).stream()
			.filter((c) -> c.series().variant().equals(curve.series().variant()))
			.filter((c) -> c.shape() == Shape.HELD || c.shape() == Shape.SAGGED)
			.findFirst();
		if (unlimited.isPresent()) {
			return Optional.of(where + pauses
					+ ", and the same gateway before an unlimited backend did not collapse: the cause is the backend's threads (at most %s orders in process there at once), not the gateway."
						.formatted(Figures.count(cells.stream()
							.map(CellResult::backendMaxInFlight)
							.filter(Objects::nonNull)
							.max(Comparator.naturalOrder())
							.orElse(null))));
		}
		return Optional.of(where + pauses + "; the figures do not show the cause.");
	}

	/** The median of all repetitions that have the figure, as in the tables. */
	private static @Nullable Double median(List<CellResult> cells, Function<CellResult, @Nullable Double> figure) {
		return Figures.median(cells.stream().map(figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
	}

	private static @Nullable Double pauseShare(CellResult cell) {
		ServiceCost gateway = cell.services().get(Cost.GATEWAY);
		Double pauseMillis = (gateway != null) ? gateway.gcPauseMillis() : null;
		double windowMillis = cell.end().toEpochMilli() - cell.start().toEpochMilli();
		return (pauseMillis != null && windowMillis > 0) ? pauseMillis / windowMillis : null;
	}

	private static @Nullable Double coresUsed(CellResult cell) {
		return Figures.median(cell.seconds()
			.stream()
			.map(Second::cpuShare)
			.filter(Objects::nonNull)
			.mapToDouble(Double::doubleValue));
	}

	private Optional<String> cpu() {
		List<Cost> costs = new ArrayList<>();
		for (String capacity : Coordinates.capacities(this.run)) {
			Coordinates.closeLoad(this.run, capacity)
				.ifPresent((load) -> Coordinates.series(this.run)
					.stream()
					.filter((s) -> s.capacity().equals(capacity))
					.forEach((s) -> Cost.of(this.run, s, load)
						.filter((c) -> c.cpuMillisPerOrder().containsKey(Cost.GATEWAY))
						.filter((cost) -> cost.cpuMillis() != null)
						.ifPresent(costs::add)));
		}
		if (costs.size() < 2) {
			return Optional.empty();
		}
		Comparator<Cost> byCpu = Comparator.comparingDouble((cost) -> Objects.requireNonNull(cost.cpuMillis()));
		Cost least = costs.stream().min(byCpu).orElseThrow();
		Cost most = costs.stream().max(byCpu).orElseThrow();
		return Optional
			.of("CPU per order saved, all services together: least %s, most %s.".formatted(cpu(least), cpu(most)));
	}

	private static String cpu(Cost cost) {
		return Reliability.sign(
				"%s ms (%s, %s)".formatted(Figures.measured(cost.cpuMillis()), cost.series(), cost.load()),
				cost.marked());
	}

	private Optional<String> calls() {
		List<String> parts = new ArrayList<>();
		for (String mode : List.of(Coordinates.SYNC, Coordinates.QUEUED)) {
			long calls = cells(mode).stream().mapToLong(CellResult::calls).sum();
			long failed = cells(mode).stream().mapToLong(CellResult::failedCalls).sum();
			if (calls > 0) {
				parts.add((failed == 0) ? "none of %s %s calls".formatted(Figures.count(calls), mode)
						: "%s of %s %s calls (%s)".formatted(Figures.count(failed), Figures.count(calls), mode,
								Figures.percent((double) failed / calls)));
			}
		}
		return parts.isEmpty() ? Optional.empty()
				: Optional.of("Failed calls, which the client retried: %s.".formatted(String.join(", ", parts)));
	}

	private Optional<String> saved() {
		if (this.run.cells().isEmpty()) {
			return Optional.empty();
		}
		long accepted = this.run.cells().stream().mapToLong(CellResult::accepted).sum();
		long missing = this.run.cells().stream().mapToLong((c) -> Math.max(0, c.accepted() - c.saved())).sum();
		return Optional.of((missing == 0)
				? "Every one of the %s orders that were accepted was saved.".formatted(Figures.count(accepted))
				: "%s of %s orders that were accepted had not been saved when their cell ended: lost, or still on the way."
					.formatted(Figures.count(missing), Figures.count(accepted)));
	}

	private List<CellResult> cells(String mode) {
		return this.run.cells().stream().filter((c) -> c.cell().mode().equals(mode)).toList();
	}

	private List<Curve> curves(String capacity, String mode) {
		return this.curves.stream()
			.filter((c) -> c.series().capacity().equals(capacity) && c.series().mode().equals(mode))
			.toList();
	}

	private static long count(List<Curve> curves, Shape shape) {
		return curves.stream().filter((c) -> c.shape() == shape).count();
	}

	private static String of(long some, List<Curve> all) {
		if (all.size() == 1) {
			return "the one variant measured";
		}
		return (some == all.size()) ? "all %d variants".formatted(all.size())
				: "%d of %d variants".formatted(some, all.size());
	}

}
