package dev.sluice.lab.compare.figures;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.load.LoadRound;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What the orders of a series cost at one load, over all repetitions: sums divided by the
 * number of orders saved, and maxima of peaks. Null where no repetition has the figure.
 *
 * @param cells the repetitions, at least one
 * @param services of the whole run, the gateway first
 */
public record Cost(Series series, List<CellResult> cells, List<String> services) {

	public static final String GATEWAY = "gateway";

	public static final String CONSUMER = "consumer";

	public static final String BACKEND = "backend";

	private static final List<String> ORDER = List.of(GATEWAY, CONSUMER, BACKEND);

	/** The measuring processes are not part of an order's cost. */
	private static final List<String> EXCLUDED = List.of(LoadRound.LOAD_GENERATOR, LoadRound.LAB);

	/** The costs of all series, each at the load that is shown in detail. */
	public static List<Cost> of(RunResult run) {
		List<String> services = services(run);
		return Coordinates.series(run).stream().map((series) -> {
			OptionalInt load = Coordinates.closeLoad(run, series.capacity());
			return new Cost(series, Coordinates.at(run, series, load.orElse(0)), services);
		}).filter((cost) -> !cost.cells().isEmpty()).toList();
	}

	/**
	 * The services of a run: gateway, consumer, backend, then the others by name, the
	 * measuring processes last.
	 */
	private static List<String> services(RunResult run) {
		return run.cells()
			.stream()
			.flatMap((cell) -> cell.services().keySet().stream())
			.distinct()
			.sorted(Comparator.comparingInt(Cost::rank).thenComparing(Comparator.naturalOrder()))
			.toList();
	}

	private static int rank(String service) {
		for (int i = 0; i < ORDER.size(); i++) {
			if (service.contains(ORDER.get(i))) {
				return i;
			}
		}
		return ORDER.size() + (isOfSystem(service) ? 0 : 1);
	}

	/**
	 * Whether a service's CPU time is part of an order's cost. The load generator's and
	 * the lab's are not.
	 */
	public static boolean isOfSystem(String service) {
		return !EXCLUDED.contains(service);
	}

	public Load load() {
		return this.cells.getFirst().cell().load();
	}

	public boolean marked() {
		return this.cells.stream().anyMatch(Reliability::marked);
	}

	public @Nullable Double cpuMillis(String service) {
		return perOrder(service, ServiceCost::cpuMillisPerOrder);
	}

	/**
	 * CPU time of the whole system for an order, in milliseconds; null if that of a
	 * service is unknown.
	 */
	public @Nullable Double systemCpuMillis() {
		double sum = 0;
		for (String service : this.services) {
			Double millis = isOfSystem(service) ? cpuMillis(service) : Double.valueOf(0);
			if (millis == null) {
				return null;
			}
			sum += millis;
		}
		return this.services.isEmpty() ? null : sum;
	}

	/**
	 * CPU time of the whole system for an order of a cell, in milliseconds; null if that
	 * of a service is unknown.
	 */
	static @Nullable Double systemCpuMillis(CellResult cell) {
		return new Cost(Series.of(cell.cell()), List.of(cell), List.copyOf(cell.services().keySet())).systemCpuMillis();
	}

	/** A figure that a service has for each order: the mean over all orders. */
	public @Nullable Double perOrder(String service, Function<ServiceCost, @Nullable Double> figure) {
		return perSaved(service, figure, CellResult::saved);
	}

	/** A figure that a service has for each cell: its sum for a thousand orders. */
	public @Nullable Double perThousand(String service, Function<ServiceCost, ? extends @Nullable Number> figure) {
		return perSaved(service, figure, (_) -> 1_000);
	}

	private @Nullable Double perSaved(String service, Function<ServiceCost, ? extends @Nullable Number> figure,
			ToDoubleFunction<CellResult> weight) {
		double sum = 0;
		long saved = 0;
		for (CellResult cell : this.cells) {
			Double value = of(cell, service, figure);
			if (value != null) {
				sum += value * weight.applyAsDouble(cell);
				saved += cell.saved();
			}
		}
		return (saved > 0) ? sum / saved : null;
	}

	/** The greatest of a service's figures. */
	public @Nullable Double greatest(String service, Function<ServiceCost, ? extends @Nullable Number> figure) {
		return greatest((cell) -> of(cell, service, figure));
	}

	/** The greatest of the cells' figures. */
	public @Nullable Double greatest(Function<CellResult, ? extends @Nullable Number> figure) {
		return this.cells.stream()
			.map(figure)
			.filter(Objects::nonNull)
			.map(Number::doubleValue)
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

	private static @Nullable Double of(CellResult cell, String service,
			Function<ServiceCost, ? extends @Nullable Number> figure) {
		ServiceCost cost = cell.services().get(service);
		Number value = (cost != null) ? figure.apply(cost) : null;
		return (value != null) ? value.doubleValue() : null;
	}

}
