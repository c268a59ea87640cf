package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What the orders of a series cost at one load, over all repetitions: sums divided by the
 * number of orders saved. Null where no repetition has the figure.
 *
 * @param services of the whole run, the gateway first
 */
public record Cost(CellGroup group, List<String> services) {

	public static final String GATEWAY = "gateway";

	private static final List<String> ORDER = List.of(GATEWAY, "consumer", "backend");

	/** The measuring processes are not part of an order's cost. */
	private static final List<String> EXCLUDED = List.of(CellEvaluation.LOAD_GENERATOR, CellEvaluation.LAB);

	/** The costs of all series, each at the load that is shown in detail. */
	public static List<Cost> of(RunResult run) {
		List<String> services = services(run);
		return CellGroup.inDetail(CellGroup.of(run)).stream().map((group) -> new Cost(group, services)).toList();
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

	/** CPU time of a service for an order, in milliseconds: the mean over all orders. */
	public @Nullable Double cpuMillis(String service) {
		double sum = 0;
		long saved = 0;
		for (CellResult cell : this.group.cells()) {
			ServiceCost cost = cell.services().get(service);
			if (cost != null && cost.cpuMillisPerOrder() != null) {
				sum += cost.cpuMillisPerOrder() * cell.saved();
				saved += cell.saved();
			}
		}
		return (saved > 0) ? sum / saved : null;
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
	static @Nullable Double systemCpuMillisOf(CellResult cell) {
		return new Cost(new CellGroup(List.of(cell)), List.copyOf(cell.services().keySet())).systemCpuMillis();
	}

	static Section section(RunResult run) {
		Section section = new Section("cost", "What an order costs");
		List<Cost> costs = Cost.of(run);
		section.paragraph(
				"At the greatest load that every series of a backend reached. CPU per order is steadier than any rate on a shared machine: where the two disagree, believe the cost. The load generator and the lab measure; they are shown apart and are not in the sum. Sums over repetitions divided by all orders saved. Memory, threads and connections are among the cells below.");
		List<String> services = costs.getFirst().services();
		List<String> system = services.stream().filter(Cost::isOfSystem).toList();
		List<Chart> charts = new ArrayList<>();
		costs.stream()
			.filter((cost) -> cost.systemCpuMillis() != null)
			.collect(Collectors.groupingBy((cost) -> cost.group().capacity(), LinkedHashMap::new, Collectors.toList()))
			.forEach((capacity, own) -> charts
				.add(new Chart.Stack("%s, %s".formatted(CellGroup.backend(capacity), own.getFirst().group().load()),
						"CPU ms per order", "cost", system, own.stream().map((cost) -> bar(cost, system)).toList())));
		List<Column<Cost>> cpu = new ArrayList<>(CellTables
			.coordinates((cost) -> cost.group().cells().getFirst().cell(), (cost) -> cost.group().marked()));
		system.forEach((service) -> cpu.add(Column.measured(service, (cost) -> cost.cpuMillis(service))));
		cpu.add(Column.measured("the system together", Cost::systemCpuMillis));
		services.stream()
			.filter((service) -> !Cost.isOfSystem(service))
			.forEach((service) -> cpu.add(Column.measured(service + " (apart)", (cost) -> cost.cpuMillis(service))));
		section.charts(charts, Table.of("CPU milliseconds per saved order", costs, cpu));
		return section;
	}

	private static Chart.StackRow bar(Cost cost, List<String> services) {
		return new Chart.StackRow("%s, %s".formatted(cost.group().mode(), cost.group().variant()),
				cost.group().marked(), services.stream().<@Nullable Double>map(cost::cpuMillis).toList());
	}

}
