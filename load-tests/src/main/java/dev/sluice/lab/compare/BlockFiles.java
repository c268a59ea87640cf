package dev.sluice.lab.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.sluice.lab.compare.ComparePlan.Block;
import dev.sluice.lab.compare.ComparePlan.Round;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.jvm.GcLog;
import dev.sluice.lab.kit.load.LoadRound;
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

	static final String CONSUMER = "consumer";

	private static final String GATEWAY = "gateway";

	private static final List<String> MEASURED = List.of(GATEWAY, LoadRound.BACKEND, "kafka", "postgresql",
			LoadRound.LOAD_GENERATOR, LoadRound.LAB);

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

	/** The cells of a round, complete or not, with all that was recorded. */
	List<CellResult> evaluate(Round round, LoadRound.Record record) throws IOException {
		List<CellResult> evaluated = new ArrayList<>();
		for (String variant : this.block.names()) {
			CellEvaluation evaluation = evaluation(variant, record.samples(), scrapes(round, variant));
			for (Cell cell : round.cells()) {
				Optional<PhaseOutcome> outcome = record.outcome(round.phase(cell));
				if (cell.variant().equals(variant) && outcome.isPresent()) {
					evaluated.add(evaluate(round, cell, outcome.get(), evaluation));
				}
			}
		}
		return evaluated;
	}

	/**
	 * A cell that has just ended, without what only the end of its round has: scrapes,
	 * and a sample after its last second.
	 */
	CellResult evaluate(Round round, Cell cell, PhaseOutcome outcome, ProcessSamples samples) throws IOException {
		return evaluate(round, cell, outcome, evaluation(cell.variant(), samples, Map.of()));
	}

	private CellResult evaluate(Round round, Cell cell, PhaseOutcome outcome, CellEvaluation evaluation)
			throws IOException {
		Path outcomes = this.directory.directory("outcomes/" + round.name());
		OrderTimes times = OrderTimes.read(OrderTimes.file(outcomes, outcome.name()));
		return evaluation.evaluate(cell, outcome, OrderCalls.read(OrderCalls.file(outcomes, outcome.name())))
			.waiting(times.toAccepted(), times.toSaved());
	}

	private CellEvaluation evaluation(String variant, ProcessSamples samples, Map<String, Scrapes> scrapes)
			throws IOException {
		Map<String, GcLog> collectors = new HashMap<>(Map.of(GATEWAY, GcLog.read(gcLog(variant))));
		List<String> measured = new ArrayList<>(MEASURED);
		if (this.hasConsumer) {
			collectors.put(CONSUMER, GcLog.read(gcLog(CONSUMER)));
			measured.add(CONSUMER);
		}
		return new CellEvaluation(samples.calling(gateway(variant), GATEWAY), collectors, scrapes, measured,
				Runtime.getRuntime().availableProcessors());
	}

	private Map<String, Scrapes> scrapes(Round round, String variant) throws IOException {
		Path kept = this.directory.directory("scrapes/" + round.name());
		Map<String, Scrapes> scrapes = new HashMap<>();
		scrapes.put(GATEWAY, scrapes(kept, gateway(variant)));
		scrapes.put(LoadRound.BACKEND, scrapes(kept, LoadRound.BACKEND));
		if (this.hasConsumer) {
			scrapes.put(CONSUMER, scrapes(kept, CONSUMER));
		}
		return scrapes;
	}

	private static Scrapes scrapes(Path kept, String service) throws IOException {
		return CellEvaluation.scrapes(kept.resolve(service + ".prom.gz"));
	}

}
