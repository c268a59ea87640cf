package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Cost;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The cost of an order: CPU of every service as bars, the rest as a table. */
final class CostSection extends Section {

	CostSection() {
		super("cost", "What an order costs");
	}

	@Override
	public void write(RunResult run, Html html) {
		List<Cost> costs = new ArrayList<>();
		for (String capacity : Coordinates.capacities(run)) {
			OptionalInt load = Coordinates.closeLoad(run, capacity);
			Coordinates.series(run)
				.stream()
				.filter((s) -> s.capacity().equals(capacity))
				.forEach((s) -> Cost.of(run, s, load.orElse(0)).ifPresent(costs::add));
		}
		if (costs.isEmpty()) {
			html.element("p", "No cell was measured.");
			return;
		}
		html.element("p",
				"At the greatest load that every series of a backend reached. CPU per order is steadier than any rate on a shared machine: where the two disagree, believe the cost. The load generator and the lab measure; they are shown apart and are not in the sum. Sums over repetitions divided by all orders saved; peaks are the greatest of any repetition.");
		List<String> services = Cost.services(run);
		List<String> system = services.stream().filter(Cost::isOfSystem).toList();
		double xMax = costs.stream().map(Cost::cpuMillis).filter(Objects::nonNull).max(Double::compare).orElse(1.0);
		List<Chart> charts = new ArrayList<>();
		for (String capacity : Coordinates.capacities(run)) {
			List<Cost> rows = costs.stream()
				.filter((c) -> c.series().capacity().equals(capacity) && c.cpuMillis() != null)
				.toList();
			if (!rows.isEmpty()) {
				charts
					.add(new Chart.Stack("CPU ms per order, backend %s, %s".formatted(capacity, rows.getFirst().load()),
							"CPU milliseconds per saved order as bars, parts %s, a bar for each variant and mode."
								.formatted(String.join(", ", system)),
							70 + 30 * rows.size(), 440, "CPU ms per order", xMax, system,
							rows.stream().map((c) -> bar(c, system)).toList()));
			}
		}
		html.charts(charts, cpuTable(costs, services));
		gatewayTable(costs).write(html);
		connectionTable(costs).write(html);
	}

	private static Chart.StackRow bar(Cost cost, List<String> services) {
		List<@Nullable Double> values = new ArrayList<>();
		services.forEach((service) -> values.add(cost.cpuMillisPerOrder().get(service)));
		return new Chart.StackRow("%s, %s".formatted(cost.series().mode(), cost.series().variant()),
				Coordinates.style(cost.series().variant()), cost.marked(), values);
	}

	private static Table cpuTable(List<Cost> costs, List<String> services) {
		List<String> heads = new ArrayList<>(List.of("Variant", "Mode", "Backend", "load"));
		services.stream().filter(Cost::isOfSystem).forEach(heads::add);
		heads.add("the system together");
		List<String> apart = services.stream().filter((service) -> !Cost.isOfSystem(service)).toList();
		apart.forEach((service) -> heads.add(service + " (apart)"));
		Table table = new Table("CPU milliseconds per saved order", 3, heads);
		for (Cost cost : costs) {
			List<String> row = head(cost);
			services.stream()
				.filter(Cost::isOfSystem)
				.forEach((service) -> row.add(Figures.measured(cost.cpuMillisPerOrder().get(service))));
			row.add(Figures.measured(cost.cpuMillis()));
			apart.forEach((service) -> row.add(Figures.measured(cost.cpuMillisPerOrder().get(service))));
			table.row(row);
		}
		return table;
	}

	private static Table gatewayTable(List<Cost> costs) {
		Table table = new Table("The gateway's memory and threads", 3,
				List.of("Variant", "Mode", "Backend", "load", "allocated per order", "promoted per order",
						"GC pauses per 1,000 orders", "GC pause ms per 1,000 orders", "longest pause, ms",
						"peak platform threads", "peak RSS", "most orders in the backend"));
		for (Cost cost : costs) {
			List<String> row = head(cost);
			row.addAll(List.of(Figures.bytes(cost.allocatedBytesPerOrder()),
					Figures.bytes(cost.promotedBytesPerOrder()), Figures.measured(cost.gcPausesPerThousand()),
					Figures.measured(cost.gcPauseMillisPerThousand()), Figures.measured(cost.gcPauseMaxMillis()),
					Figures.count(cost.peakThreads()), Figures.bytes(cost.peakRssBytes()),
					Figures.count(cost.maxInFlight())));
			table.row(row);
		}
		return table;
	}

	private static Table connectionTable(List<Cost> costs) {
		Table table = new Table(
				"Open connections at most, counted once a second by the kernel and by the services' pools, and those opened to the backend in all",
				3, List.of("Variant", "Mode", "Backend", "load", "clients to gateway, kernel", "to the backend, kernel",
						"gateway's pool", "consumer's pool", "opened to the backend"));
		for (Cost cost : costs) {
			List<String> row = head(cost);
			Cost.Connections connections = cost.connections();
			row.addAll(List.of(Figures.count(connections.fromClients()), Figures.count(connections.toBackend()),
					Figures.count(connections.gatewayPool()), Figures.count(connections.consumerPool()),
					Figures.count(connections.opened())));
			table.row(row);
		}
		return table;
	}

	private static List<String> head(Cost cost) {
		return new ArrayList<>(List.of(cost.series().variant(), cost.series().mode(), cost.series().capacity(),
				Reliability.sign(cost.load().toString(), cost.marked())));
	}

}
