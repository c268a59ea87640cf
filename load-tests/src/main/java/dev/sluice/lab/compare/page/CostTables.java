package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Cost;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The cost of an order: CPU of every service. */
final class CostTables {

	private CostTables() {
	}

	static void write(RunResult run, Html html) {
		List<Cost> costs = Cost.of(run);
		if (costs.isEmpty()) {
			html.paragraph("No cell was measured.");
			return;
		}
		html.paragraph(
				"At the greatest load that every series of a backend reached. CPU per order is steadier than any rate on a shared machine: where the two disagree, believe the cost. The load generator and the lab measure; they are shown apart and are not in the sum. Sums over repetitions divided by all orders saved. Memory, threads and connections are among the cells below.");
		List<String> services = costs.getFirst().services();
		List<String> system = services.stream().filter(Cost::isOfSystem).toList();
		double top = costs.stream()
			.map(Cost::systemCpuMillis)
			.filter(Objects::nonNull)
			.max(Double::compare)
			.orElse(1.0);
		List<Chart> charts = Coordinates.capacities(run)
			.stream()
			.map((capacity) -> costs.stream()
				.filter((cost) -> cost.series().capacity().equals(capacity) && cost.systemCpuMillis() != null)
				.toList())
			.filter((own) -> !own.isEmpty())
			.<Chart>map((own) -> Chart.Stack.of(
					"CPU ms per order, backend %s, %s".formatted(own.getFirst().series().capacity(),
							own.getFirst().load()),
					"CPU milliseconds per saved order as bars, parts %s, a bar for each variant and mode."
						.formatted(String.join(", ", system)),
					"CPU ms per order", top, system, own.stream().map((cost) -> bar(cost, system)).toList()))
			.toList();
		List<Column<Cost>> cpu = new ArrayList<>();
		system.forEach((service) -> cpu.add(Column.measured(service, (cost) -> cost.cpuMillis(service))));
		cpu.add(Column.measured("the system together", Cost::systemCpuMillis));
		services.stream()
			.filter((service) -> !Cost.isOfSystem(service))
			.forEach((service) -> cpu.add(Column.measured(service + " (apart)", (cost) -> cost.cpuMillis(service))));
		html.charts(charts, table("CPU milliseconds per saved order", costs, cpu));
	}

	private static Chart.StackRow bar(Cost cost, List<String> services) {
		List<@Nullable Double> values = new ArrayList<>();
		services.forEach((service) -> values.add(cost.cpuMillis(service)));
		return new Chart.StackRow("%s, %s".formatted(cost.series().mode(), cost.series().variant()),
				Coordinates.style(cost.series().variant()), cost.marked(), values);
	}

	private static Table table(String caption, List<Cost> costs, List<Column<Cost>> figures) {
		List<Column<Cost>> columns = new ArrayList<>(List.of(Column.words("Variant", (cost) -> cost.series().variant()),
				Column.words("Mode", (cost) -> cost.series().mode()),
				Column.words("Backend", (cost) -> cost.series().capacity()),
				Column.words("load", (Cost cost) -> cost.load().toString()).marked(Cost::marked)));
		columns.addAll(figures);
		return Table.of(caption, costs, columns);
	}

}
