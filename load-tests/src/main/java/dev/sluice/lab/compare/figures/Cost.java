package dev.sluice.lab.compare.figures;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.kit.load.LoadRound;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a series at one load, over all repetitions: sums divided by the number of
 * orders saved, and maxima of peaks. Null where no repetition has the figure.
 *
 * @param cpuMillisPerOrder CPU time by service, the gateway first; without services whose
 * CPU time is unknown
 * @param complete whether the CPU time of every service of the system is known
 */
public record Cost(Series series, Load load, Map<String, Double> cpuMillisPerOrder, boolean complete,
		@Nullable Double allocatedBytesPerOrder, @Nullable Double promotedBytesPerOrder,
		@Nullable Double gcPausesPerThousand, @Nullable Double gcPauseMillisPerThousand,
		@Nullable Double gcPauseMaxMillis, @Nullable Double peakThreads, @Nullable Double peakRssBytes,
		Connections connections, @Nullable Double maxInFlight, boolean marked) {

	/**
	 * Numbers of connections: maxima at one time, except for the last.
	 *
	 * @param fromClients accepted by the gateway
	 * @param toBackend accepted by the backend
	 * @param gatewayPool in the gateway's pool, to the backend
	 * @param consumerPool in the consumer's pool, to the backend
	 * @param opened total number opened to the backend
	 */
	public record Connections(@Nullable Double fromClients, @Nullable Double toBackend, @Nullable Double gatewayPool,
			@Nullable Double consumerPool, @Nullable Double opened) {
	}

	public static final String GATEWAY = "gateway";

	private static final String CONSUMER = "consumer";

	private static final String BACKEND = "backend";

	private static final List<String> ORDER = List.of(GATEWAY, CONSUMER, BACKEND);

	/** The measuring processes are not part of an order's cost. */
	private static final List<String> EXCLUDED = List.of(LoadRound.LOAD_GENERATOR, LoadRound.LAB);

	public static Optional<Cost> of(RunResult run, Series series, int orders) {
		List<CellResult> cells = Coordinates.at(run, series, orders);
		if (cells.isEmpty()) {
			return Optional.empty();
		}
		Map<String, Double> cpu = new LinkedHashMap<>();
		for (String service : services(run)) {
			Double millis = perOrder(cells, (c) -> cost(c, service, ServiceCost::cpuMillisPerOrder));
			if (millis != null) {
				cpu.put(service, millis);
			}
		}
		boolean complete = services(run).stream().filter(Cost::isOfSystem).allMatch(cpu::containsKey);
		return Optional.of(new Cost(series, cells.getFirst().cell().load(), cpu, complete,
				perOrder(cells, (c) -> cost(c, GATEWAY, ServiceCost::allocatedBytesPerOrder)),
				perOrder(cells, (c) -> cost(c, GATEWAY, ServiceCost::promotedBytesPerOrder)),
				perThousand(cells, (c) -> cost(c, GATEWAY, ServiceCost::gcPauses)),
				perThousand(cells, (c) -> cost(c, GATEWAY, ServiceCost::gcPauseMillis)),
				greatest(cells, (c) -> cost(c, GATEWAY, ServiceCost::gcPauseMaxMillis)),
				greatest(cells, (c) -> cost(c, GATEWAY, ServiceCost::peakThreads)),
				greatest(cells, (c) -> cost(c, GATEWAY, ServiceCost::peakRssBytes)),
				new Connections(greatest(cells, (c) -> cost(c, GATEWAY, ServiceCost::peakConnections)),
						greatest(cells, (c) -> cost(c, BACKEND, ServiceCost::peakConnections)),
						greatest(cells, (c) -> cost(c, GATEWAY, ServiceCost::peakPooled)),
						greatest(cells, (c) -> cost(c, CONSUMER, ServiceCost::peakPooled)),
						greatest(cells, CellResult::connectionsOpened)),
				greatest(cells, CellResult::backendMaxInFlight), cells.stream().anyMatch(Reliability::marked)));
	}

	/**
	 * Whether a service's CPU time is part of an order's cost. The load generator's and
	 * the lab's are not.
	 */
	public static boolean isOfSystem(String service) {
		return !EXCLUDED.contains(service);
	}

	/**
	 * The services of a run: gateway, consumer, backend, then the others by name, the
	 * measuring processes last.
	 * @param run the run
	 * @return their names
	 */
	public static List<String> services(RunResult run) {
		return run.cells()
			.stream()
			.flatMap((c) -> c.services().keySet().stream())
			.distinct()
			.sorted(Comparator.comparingInt(Cost::rank).thenComparing(Comparator.naturalOrder()))
			.toList();
	}

	/**
	 * CPU time of the whole system for an order, in milliseconds; null if that of a
	 * service is unknown.
	 */
	public @Nullable Double cpuMillis() {
		return this.complete ? this.cpuMillisPerOrder.entrySet()
			.stream()
			.filter((entry) -> isOfSystem(entry.getKey()))
			.mapToDouble(Map.Entry::getValue)
			.sum() : null;
	}

	private static int rank(String service) {
		for (int i = 0; i < ORDER.size(); i++) {
			if (service.contains(ORDER.get(i))) {
				return i;
			}
		}
		return ORDER.size() + (isOfSystem(service) ? 0 : 1);
	}

	private static @Nullable Double cost(CellResult cell, String service,
			Function<ServiceCost, ? extends @Nullable Number> figure) {
		ServiceCost cost = cell.services().get(service);
		Number value = (cost != null) ? figure.apply(cost) : null;
		return (value != null) ? value.doubleValue() : null;
	}

	private static @Nullable Double perOrder(List<CellResult> cells, Function<CellResult, @Nullable Double> figure) {
		double sum = 0;
		long saved = 0;
		for (CellResult cell : cells) {
			Double value = figure.apply(cell);
			if (value != null) {
				sum += value * cell.saved();
				saved += cell.saved();
			}
		}
		return (saved > 0) ? sum / saved : null;
	}

	private static @Nullable Double perThousand(List<CellResult> cells, Function<CellResult, @Nullable Double> figure) {
		double sum = 0;
		long saved = 0;
		for (CellResult cell : cells) {
			Double value = figure.apply(cell);
			if (value != null) {
				sum += value;
				saved += cell.saved();
			}
		}
		return (saved > 0) ? sum * 1000 / saved : null;
	}

	private static @Nullable Double greatest(List<CellResult> cells,
			Function<CellResult, ? extends @Nullable Number> figure) {
		return cells.stream()
			.map(figure)
			.filter(Objects::nonNull)
			.map(Number::doubleValue)
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

}
