package dev.sluice.lab.docs;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.docs.GeneratedTable;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.measure.CellEvaluation;
import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderTimes;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.process.ProcessSampler.Sample;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of {@code compare} in the README and in {@code docs/results.md} are computed
 * from the raw data of the runs in {@code docs/results}. Only the marks of unreliable
 * cells, and the table of the run at fixed rates, are taken from the runs.
 */
class ResultsDocumentTests {

	private static final Path README = MarkdownDocument.ROOT.resolve("README.md");

	private static final Path RESULTS = MarkdownDocument.ROOT.resolve("docs/results.md");

	private static final String GATEWAY = "gateway";

	private static final List<String> SERVICES = List.of(GATEWAY, "consumer", "backend", "kafka", "postgresql");

	private static final List<String> MODES = List.of("sync", "queued");

	private static final int MAX_FIGURE = 1_000;

	/**
	 * Capacities of the backend and the README's names for them, in the README's order.
	 */
	private static final List<Map.Entry<String, String>> BACKENDS = List
		.of(Map.entry("workers", "slow: 20 workers, 400 per second"), Map.entry("unlimited", "fast: no limit"));

	/** Orders in flight. */
	@SuppressWarnings("NullAway.Init")
	private static Published inFlight;

	/** Orders per second. */
	@SuppressWarnings("NullAway.Init")
	private static Published rates;

	@SuppressWarnings("NullAway.Init")
	private static Published burst;

	@BeforeAll
	static void computeFromTheRawData() throws IOException {
		inFlight = Published.of("compare-quick");
		rates = Published.withoutRawData("compare-rates");
		burst = Published.of("compare-burst");
	}

	@Test
	void theReadmeHasTheFiguresOfTheRun() throws IOException {
		GeneratedTable table = new GeneratedTable(README, "compare", "backend takes 50 ms", "mode",
				"saved per second: 10 in flight", "100", "1,000", "at 1,000: median wait until accepted, ms",
				"until saved, ms", "failed calls")
			.figuresFrom(2);
		for (Map.Entry<String, String> backend : BACKENDS) {
			for (String mode : MODES) {
				table.row(backend.getValue(), mode, range(backend.getKey(), mode, 10, CellResult::savedPerSecond),
						range(backend.getKey(), mode, 100, CellResult::savedPerSecond),
						range(backend.getKey(), mode, MAX_FIGURE, CellResult::savedPerSecond),
						range(backend.getKey(), mode, MAX_FIGURE, CellResult::acceptedP50),
						range(backend.getKey(), mode, MAX_FIGURE, CellResult::savedP50),
						range(backend.getKey(), mode, MAX_FIGURE, (cell) -> (double) cell.failedCalls()));
			}
		}

		table.check();
	}

	@Test
	void theResultsHaveTheCellsOfTheRuns() throws IOException {
		checkCells("compare", "in flight", inFlight, 10);
		checkCells("rates", "per second", rates, 2 * MAX_FIGURE);
		// Smaller bursts are too short for most figures.
		checkCells("burst", "orders", burst, MAX_FIGURE);
	}

	private static void checkCells(String name, String load, Published published, int least) throws IOException {
		GeneratedTable table = new GeneratedTable(RESULTS, name, "backend", "mode", "variant", load, "saved per second",
				"median wait until accepted, ms", "until saved, ms", "failed calls", "CPU ms per order")
			.figuresFrom(3);
		published.cells.stream()
			.filter((cell) -> cell.cell().load().size() >= least)
			.sorted(Comparator.comparing((CellResult cell) -> cell.cell().capacity())
				.thenComparing((cell) -> MODES.indexOf(cell.cell().mode()))
				.thenComparing((cell) -> cell.cell().variant(), Comparator.reverseOrder())
				.thenComparing((cell) -> cell.cell().load().size()))
			.forEach((cell) -> table.row(cell.cell().capacity(), cell.cell().mode(), cell.cell().variant(),
					Figures.count(cell.cell().load().size()),
					Figures.measured(cell.savedPerSecond()) + (published.marked(cell) ? " " + Reliability.SIGN : ""),
					Figures.measured(cell.acceptedP50()), Figures.measured(cell.savedP50()),
					Figures.count(cell.failedCalls()), Figures.measured(cpuMillisPerOrder(cell))));

		table.check();
	}

	@Test
	void theDocumentsNameTheCommandsAndTheDaysOfTheRuns() throws IOException {
		checkNames(README, inFlight.run);
		checkNames(README, rates.run);
		checkNames(RESULTS, inFlight.run);
		checkNames(RESULTS, rates.run);
		checkNames(RESULTS, burst.run);
	}

	private static void checkNames(Path document, RunResult run) throws IOException {
		// The directory of the results does not matter.
		String command = run.command().replaceAll(" --out \\S+", "");
		assertThat(List.of("`./" + command + "`", run.startedAt().toString().substring(0, 10))).as(document.toString())
			.allMatch(Files.readString(document).replace('\n', ' ')::contains);
	}

	/** Lowest and highest of the variants. */
	private static String range(String capacity, String mode, int load, Function<CellResult, @Nullable Double> figure) {
		List<CellResult> some = inFlight.cells.stream()
			.filter((cell) -> cell.cell().capacity().equals(capacity) && cell.cell().mode().equals(mode)
					&& cell.cell().load().size() == load)
			.toList();
		List<String> ends = Stream.of(Comparator.<Double>naturalOrder(), Comparator.<Double>naturalOrder().reversed())
			.map((order) -> some.stream().map(figure).filter(Objects::nonNull).min(order).orElse(null))
			.map(Figures::measured)
			.distinct()
			.toList();
		return String.join(" to ", ends) + (some.stream().anyMatch(inFlight::marked) ? " " + Reliability.SIGN : "");
	}

	private static @Nullable Double cpuMillisPerOrder(CellResult cell) {
		double sum = 0;
		for (ServiceCost cost : cell.services().values()) {
			if (cost.cpuMillisPerOrder() == null) {
				return null;
			}
			sum += cost.cpuMillisPerOrder();
		}
		return sum;
	}

	/**
	 * A run in {@code docs/results}.
	 *
	 * @param cells the run's cells, computed from its raw data
	 */
	private record Published(RunResult run, List<CellResult> cells) {

		static Published of(String name) throws IOException {
			try (FileSystem zip = FileSystems
				.newFileSystem(MarkdownDocument.ROOT.resolve("docs/results/%s.zip".formatted(name)))) {
				return of(zip.getPath("/"));
			}
		}

		/** Its raw data are too large; the cells are those of the run. */
		static Published withoutRawData(String name) throws IOException {
			try (FileSystem zip = FileSystems
				.newFileSystem(MarkdownDocument.ROOT.resolve("docs/results/%s.zip".formatted(name)))) {
				RunResult run = RunFile.read(zip.getPath("/").resolve(RunFile.NAME));
				return new Published(run, run.cells());
			}
		}

		private static Published of(Path opened) throws IOException {
			RunResult run = RunFile.read(opened.resolve(RunFile.NAME));
			List<CellResult> cells = new ArrayList<>();
			try (Stream<Path> rounds = Files.list(opened.resolve("outcomes"))) {
				for (Path round : rounds.toList()) {
					cells.addAll(compute(run, opened, round.getFileName().toString()));
				}
			}
			assertThat(cells).extracting(CellResult::cell)
				.containsExactlyInAnyOrderElementsOf(run.cells().stream().map(CellResult::cell).toList());
			return new Published(run, cells);
		}

		boolean marked(CellResult computed) {
			return this.run.cells()
				.stream()
				.filter((cell) -> cell.cell().equals(computed.cell()))
				.anyMatch(Reliability::marked);
		}

	}

	private static List<CellResult> compute(RunResult run, Path opened, String round) throws IOException {
		ProcessSamples samples = samples(opened.resolve("samples/%s.csv".formatted(round)));
		JsonMapper json = new JsonMapper();
		List<CellResult> computed = new ArrayList<>();
		for (CellResult known : run.cells()) {
			Cell cell = known.cell();
			String phase = "%s %s %s %s".formatted(cell.variant(), cell.mode(), cell.capacity(), cell.load().size());
			Path outcomes = opened.resolve("outcomes").resolve(round);
			Path outcome = outcomes.resolve(phase + ".json");
			if (Files.exists(outcome)) {
				CellEvaluation evaluation = new CellEvaluation(samples.calling("gateway-" + cell.variant(), GATEWAY),
						Map.of(), Map.of(), SERVICES, run.environment().cores());
				computed.add(evaluation.evaluate(cell, json.readValue(Files.readAllBytes(outcome), PhaseOutcome.class),
						OrderCalls.read(OrderCalls.file(outcomes, phase)),
						OrderTimes.read(OrderTimes.file(outcomes, phase))));
			}
		}
		return computed;
	}

	private static ProcessSamples samples(Path file) throws IOException {
		List<Sample> samples = new ArrayList<>();
		for (String line : Files.readAllLines(file)) {
			String[] fields = line.split(",", -1);
			if (!line.startsWith("#") && !fields[0].equals("time") && !fields[1].equals("machine")) {
				samples.add(Sample.ofCpu(Instant.parse(fields[0]), fields[1], Long.parseLong(fields[2])));
			}
		}
		return new ProcessSamples(samples);
	}

}
