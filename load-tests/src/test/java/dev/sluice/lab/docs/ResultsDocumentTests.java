package dev.sluice.lab.docs;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.docs.GeneratedTable;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The tables of {@code compare} in the README and in {@code docs/results.md} have the
 * figures of the runs in {@code docs/results}.
 */
class ResultsDocumentTests {

	private static final Path README = MarkdownDocument.ROOT.resolve("README.md");

	private static final Path RESULTS = MarkdownDocument.ROOT.resolve("docs/results.md");

	private static final List<String> SERVICES = List.of("gateway", "consumer", "backend", "kafka", "postgresql");

	private static final List<String> MODES = List.of("sync", "queued");

	private static final int MAX_FIGURE = 1_000;

	/**
	 * Capacities of the backend and the README's names for them, in the README's order.
	 */
	private static final List<Map.Entry<String, String>> BACKENDS = List
		.of(Map.entry("workers", "slow: 20 workers, 400 per second"), Map.entry("unlimited", "fast: no limit"));

	/** Orders in flight. */
	@SuppressWarnings("NullAway.Init")
	private static RunResult inFlight;

	/** Orders per second. */
	@SuppressWarnings("NullAway.Init")
	private static RunResult rates;

	@SuppressWarnings("NullAway.Init")
	private static RunResult burst;

	@BeforeAll
	static void read() throws IOException {
		inFlight = read("compare-quick");
		rates = read("compare-rates");
		burst = read("compare-burst");
	}

	private static RunResult read(String name) throws IOException {
		try (FileSystem zip = FileSystems
			.newFileSystem(MarkdownDocument.ROOT.resolve("docs/results/%s.zip".formatted(name)))) {
			return RunFile.read(zip.getPath("/").resolve(RunFile.NAME));
		}
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

	private static void checkCells(String name, String load, RunResult published, int least) throws IOException {
		GeneratedTable table = new GeneratedTable(RESULTS, name, "backend", "mode", "variant", load, "saved per second",
				"median wait until accepted, ms", "until saved, ms", "failed calls", "CPU ms per order")
			.figuresFrom(3);
		published.cells()
			.stream()
			.filter((cell) -> cell.cell().load().size() >= least)
			.sorted(Comparator.comparing((CellResult cell) -> cell.cell().capacity())
				.thenComparing((cell) -> MODES.indexOf(cell.cell().mode()))
				.thenComparing((cell) -> cell.cell().variant(), Comparator.reverseOrder())
				.thenComparing((cell) -> cell.cell().load().size()))
			.forEach((cell) -> table.row(cell.cell().capacity(), cell.cell().mode(), cell.cell().variant(),
					Figures.count(cell.cell().load().size()),
					Figures.measured(cell.savedPerSecond()) + (Reliability.marked(cell) ? " " + Reliability.SIGN : ""),
					Figures.measured(cell.acceptedP50()), Figures.measured(cell.savedP50()),
					Figures.count(cell.failedCalls()), Figures.measured(cpuMillisPerOrder(cell))));

		table.check();
	}

	@Test
	void theDocumentsNameTheCommandsAndTheDaysOfTheRuns() throws IOException {
		checkNames(README, inFlight);
		checkNames(README, rates);
		checkNames(RESULTS, inFlight);
		checkNames(RESULTS, rates);
		checkNames(RESULTS, burst);
	}

	private static void checkNames(Path document, RunResult run) throws IOException {
		// The directory of the results does not matter.
		String command = run.command().replaceAll(" --out \\S+", "");
		assertThat(List.of("`./" + command + "`", run.startedAt().toString().substring(0, 10))).as(document.toString())
			.allMatch(Files.readString(document).replace('\n', ' ')::contains);
	}

	/** By a program of another language, if there is Python. */
	@ParameterizedTest
	@ValueSource(strings = { "compare-quick", "compare-burst" })
	void theFiguresFollowFromTheRawData(String run) throws Exception {
		assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.anyMatch((path) -> Files.isExecutable(Path.of(path, "python3"))));

		Process recompute = new ProcessBuilder("python3", "scripts/recompute.py",
				"../docs/results/%s.zip".formatted(run))
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();

		assertThat(recompute.waitFor()).isZero();
	}

	/** Lowest and highest of the variants. */
	private static String range(String capacity, String mode, int load, Function<CellResult, @Nullable Double> figure) {
		List<CellResult> some = inFlight.cells()
			.stream()
			.filter((cell) -> cell.cell().capacity().equals(capacity) && cell.cell().mode().equals(mode)
					&& cell.cell().load().size() == load)
			.toList();
		List<String> ends = Stream.of(Comparator.<Double>naturalOrder(), Comparator.<Double>naturalOrder().reversed())
			.map((order) -> some.stream().map(figure).filter(Objects::nonNull).min(order).orElse(null))
			.map(Figures::measured)
			.distinct()
			.toList();
		return String.join(" to ", ends) + (some.stream().anyMatch(Reliability::marked) ? " " + Reliability.SIGN : "");
	}

	private static @Nullable Double cpuMillisPerOrder(CellResult cell) {
		double sum = 0;
		for (String service : SERVICES) {
			ServiceCost cost = cell.services().get(service);
			if (cost == null || cost.cpuMillisPerOrder() == null) {
				return null;
			}
			sum += cost.cpuMillisPerOrder();
		}
		return sum;
	}

}
