package dev.sluice.lab.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.compare.ComparePlan.Block;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.measure.GcLog;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderTimes;
import dev.sluice.lab.kit.metrics.Scrapes;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.ServiceOptions;

/**
 * The raw data of a block, and their evaluation.
 *
 * @param directory the run's
 * @param hasConsumer whether a consumer runs
 */
record BlockFiles(RunDirectory directory, Block block, boolean hasConsumer) {

	static final String BACKEND = "backend";

	static final String CONSUMER = "consumer";

	private static final String GATEWAY = "gateway";

	private static final List<String> MEASURED = List.of(GATEWAY, BACKEND, "kafka", "postgresql",
			CellEvaluation.LOAD_GENERATOR, CellEvaluation.LAB);

	/** A gateway's name among the services. */
	static String gateway(String variant) {
		return GATEWAY + "-" + variant;
	}

	/** Options of a service that make it write its logs here. */
	ServiceOptions logged(String service, ServiceOptions options) throws IOException {
		return GcLog.written(gcLog(service), options.withLog(this.block.name() + "-" + service));
	}

	private Path gcLog(String service) throws IOException {
		return this.directory.directory("gc").resolve("%s-%s.log".formatted(this.block.name(), service));
	}

	/**
	 * A cell that has just ended.
	 * @param samples of all processes
	 * @param scraped the services' metrics since the cell before, by service
	 */
	CellResult evaluate(Cell cell, PhaseOutcome outcome, ProcessSamples samples, Map<String, Scrapes> scraped)
			throws IOException {
		String gateway = gateway(cell.variant());
		Map<String, GcLog> collectors = new HashMap<>(Map.of(GATEWAY, GcLog.read(gcLog(cell.variant()))));
		Map<String, Scrapes> scrapes = new HashMap<>(scraped);
		scrapes.put(GATEWAY, Objects.requireNonNull(scrapes.get(gateway)));
		// Other gateways are idle.
		scrapes.keySet().removeIf((service) -> service.startsWith(GATEWAY + "-"));
		List<String> measured = new ArrayList<>(MEASURED);
		if (this.hasConsumer) {
			collectors.put(CONSUMER, GcLog.read(gcLog(CONSUMER)));
			measured.add(CONSUMER);
		}
		Path outcomes = this.directory.directory("outcomes/" + this.block.name());
		return new CellEvaluation(samples.calling(gateway, GATEWAY), collectors, scrapes, measured,
				Runtime.getRuntime().availableProcessors())
			.evaluate(cell, outcome, OrderCalls.read(OrderCalls.file(outcomes, outcome.name())),
					OrderTimes.read(OrderTimes.file(outcomes, outcome.name())));
	}

}
