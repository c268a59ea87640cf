package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

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
		List<Chart> charts = new ArrayList<>();
		costs.stream()
			.filter((cost) -> cost.systemCpuMillis() != null)
			.collect(Collectors.groupingBy((cost) -> cost.group().capacity(), LinkedHashMap::new, Collectors.toList()))
			.forEach((capacity, own) -> charts
				.add(Chart.Stack.of("%s, %s".formatted(Coordinates.backend(capacity), own.getFirst().group().load()),
						"CPU milliseconds per saved order as bars, parts %s, a bar for each variant and mode."
							.formatted(String.join(", ", system)),
						"CPU ms per order", top, system, own.stream().map((cost) -> bar(cost, system)).toList())));
		List<Column<Cost>> cpu = new ArrayList<>(CellTables
			.coordinates((cost) -> cost.group().cells().getFirst().cell(), (cost) -> cost.group().marked()));
		system.forEach((service) -> cpu.add(Column.measured(service, (cost) -> cost.cpuMillis(service))));
		cpu.add(Column.measured("the system together", Cost::systemCpuMillis));
		services.stream()
			.filter((service) -> !Cost.isOfSystem(service))
			.forEach((service) -> cpu.add(Column.measured(service + " (apart)", (cost) -> cost.cpuMillis(service))));
		html.charts(charts, Table.of("CPU milliseconds per saved order", costs, cpu));
	}

	private static Chart.StackRow bar(Cost cost, List<String> services) {
		List<@Nullable Double> values = new ArrayList<>();
		services.forEach((service) -> values.add(cost.cpuMillis(service)));
		return new Chart.StackRow("%s, %s".formatted(cost.group().mode(), cost.group().variant()),
				Coordinates.style(cost.group().variant()), cost.group().marked(), values);
	}

}
