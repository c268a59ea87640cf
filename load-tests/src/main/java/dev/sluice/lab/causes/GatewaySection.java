package dev.sluice.lab.causes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.causes.Effects.Effect;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.result.RunResult;

/** The gateway's collector and threads during the cells. */
final class GatewaySection extends Section {

	private final Effects effects;

	GatewaySection(Effects effects) {
		super("gateway", "What did the gateway's collector and threads do?");
		this.effects = effects;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p",
				"Pauses by the JVM's flight recorder, within the cells' windows; promotion is the growth of the old generation in its collections, which ZGC does not report. Threads are the gateway's platform threads, sampled each second: cells of a second may have no sample.");
		collector().write(html);
		threads().write(html);
	}

	private Table collector() {
		Table table = new Table("The gateway's collector", 1, List.of("Setting", "N", "stopped by GC",
				"longest pause, ms", "promoted per order", "allocated per order", "CPU ms per order", "peak RSS"));
		for (Effect effect : effects()) {
			table.row(Reliability.sign(effect.name(), effect.marked()), Figures.count(effect.orders()),
					Conclusions.percent(effect.pauseShare()),
					Figures.measured(effect.most(ServiceCost::gcPauseMaxMillis)),
					Figures.bytes(effect.perOrder(ServiceCost::promotedBytesPerOrder)),
					Figures.bytes(effect.perOrder(ServiceCost::allocatedBytesPerOrder)),
					Figures.measured(effect.perOrder(ServiceCost::cpuMillisPerOrder)),
					Figures.bytes(effect.most(ServiceCost::peakRssBytes)));
		}
		return table;
	}

	private Table threads() {
		List<String> states = this.effects.states();
		List<String> heads = new ArrayList<>(List.of("Setting", "N"));
		heads.addAll(states);
		heads.add("at most, of the process");
		heads.add("most requests at the backend");
		Table table = new Table("The gateway's threads by state, on average", 1, heads);
		for (Effect effect : effects()) {
			Map<String, Double> threads = effect.threads();
			List<String> row = new ArrayList<>(
					List.of(Reliability.sign(effect.name(), effect.marked()), Figures.count(effect.orders())));
			states.forEach((state) -> row.add(Figures.measured(threads.get(state))));
			row.add(Figures.count(effect.most(ServiceCost::peakThreads)));
			row.add(Figures.count(effect.cells().stream().mapToInt(Cell::backendMaxInFlight).max().orElse(0)));
			table.row(row);
		}
		return table;
	}

	private List<Effect> effects() {
		return this.effects.result()
			.settings()
			.stream()
			.flatMap((setting) -> this.effects.loads()
				.stream()
				.filter((load) -> load >= this.effects.result().many())
				.flatMap((load) -> this.effects.at(setting.name(), load).stream()))
			.toList();
	}

}
