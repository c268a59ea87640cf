package dev.sluice.lab.compare;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.causes.CausesExperiment;
import dev.sluice.lab.causes.CausesExperiment.Length;
import dev.sluice.lab.causes.CausesText;
import dev.sluice.lab.compare.CompareExperiment.OrderLoad;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.kit.measure.PairedComparison;
import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.report.Report;
import dev.sluice.lab.report.ReportCommand;
import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.ScenarioException;
import dev.sluice.lab.scenario.ScenarioFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lab compare}. */
@Command(name = "compare", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Measures each gateway, synchronous and queued, under a rising number of orders,"
				+ " and writes a report.")
public final class CompareCommand implements Callable<Integer> {

	private static final List<Integer> ALL_ORDERS = List.of(10, 50, 100, 200, 500, 1_000, 2_000, 3_000);

	private static final List<Integer> QUICK_ORDERS = List.of(10, 100, 1_000, 3_000);

	private static final List<Integer> SMALLEST_ORDERS = List.of(10, 100);

	private static final int FULL_REPETITIONS = 3;

	private static final int CAUSES_REPETITIONS = PairedComparison.LEAST_PAIRS;

	private static final int QUICK_STARVED_SYNC_LIMIT = 1_000;

	private static final long DEADLINE_MILLIS = 180_000;

	private static final long QUICK_DEADLINE_MILLIS = 45_000;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it.
	private CommandSpec spec;

	@Option(names = "--quick", description = "N = 10, 100, 1000, 3000, once: 6 minutes at most."
			+ " Without it: every N, three times, interleaved.")
	private boolean quick;

	@Option(names = "--smallest", description = "Two gateways, N = 10 and 100, once, backend unlimited:"
			+ " shows that everything works; its figures mean little.")
	private boolean smallest;

	@Option(names = "--causes",
			description = "What makes the synchronous rate collapse? Backend's threads, gateway's"
					+ " threads, heap, collector and retries, connections: each alone, pairs, all at once."
					+ " With --quick 8 minutes; without it each setting eight times, about two hours.")
	private boolean causes;

	@Option(names = "--scenario", paramLabel = "FILE",
			description = "What load-tests/scenarios/*.yaml or a file of your own describes: backend, gateways, load,"
					+ " limits.")
	private @Nullable Path scenario;

	@Option(names = "--orders", split = ",", paramLabel = "N", description = "Numbers of orders to place.")
	private @Nullable List<Integer> orders;

	@Option(names = "--variants", split = ",", paramLabel = "VARIANT",
			description = "Gateways: servlet-platform, servlet-virtual, servlet-async, reactive. Default: all.")
	private @Nullable List<String> variants;

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: both.")
	private @Nullable List<String> modes;

	@Option(names = "--capacity", split = ",", paramLabel = "MODEL",
			description = "The backend's capacity: unlimited, starved. Default: both.")
	private @Nullable List<String> capacities;

	@Option(names = "--repetitions", paramLabel = "COUNT", description = "How often everything is repeated.")
	private @Nullable Integer repetitions;

	@Option(names = "--delivery-concurrency", paramLabel = "COUNT", defaultValue = "50",
			description = "Orders that the consumer delivers at once. Default: ${DEFAULT-VALUE}.")
	private int deliveryConcurrency = 50;

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto",
			description = "Kafka and PostgreSQL as containers or embedded, or auto: containers if Docker answers."
					+ " Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	@Option(names = "--heap", paramLabel = "SIZE", defaultValue = "768m",
			description = "Heap of each service, as the JVM writes it. Default: ${DEFAULT-VALUE}.")
	private String heap = "768m";

	@Option(names = "--out", paramLabel = "DIR", description = "Where the results go. Default: results/compare-<time>.")
	private @Nullable Path out;

	@Override
	public Integer call() throws IOException {
		if (this.causes) {
			return findCauses();
		}
		return (this.scenario != null) ? play(this.scenario) : compare();
	}

	private int findCauses() throws IOException {
		refuse("--causes chooses its own settings", "--scenario", "--orders", "--variants", "--modes", "--capacity",
				"--delivery-concurrency", "--heap");
		Length length = this.smallest ? Length.SMALLEST : this.quick ? Length.QUICK : Length.WHOLE;
		if (this.repetitions != null && (length != Length.WHOLE || this.repetitions < 1)) {
			throw usage("--repetitions is at least 1, and --quick and --smallest have no repetitions");
		}
		RunDirectory directory = RunDirectory.create(this.out, CausesExperiment.SHORT_NAME, Instant.now());
		CausesExperiment experiment = CausesExperiment.of(length,
				(this.repetitions != null) ? this.repetitions : CAUSES_REPETITIONS,
				"lab " + String.join(" ", commandLine()), this.infrastructure, directory, Progress.toStandardError());
		try (Interruption interruption = new Interruption()) {
			RunResult result = experiment.run(interruption);
			return conclude(result, (result.finding() instanceof CausesResult found) ? CausesText.of(found) : "",
					directory);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The comparison cannot go on", ex);
		}
	}

	private void refuse(String why, String... options) {
		Stream.of(options)
			.filter((option) -> this.spec.commandLine().getParseResult().hasMatchedOption(option))
			.findFirst()
			.ifPresent((option) -> {
				throw usage("%s: leave out %s".formatted(why, option));
			});
	}

	private int play(Path file) throws IOException {
		refuse("The scenario says it", "--quick", "--smallest", "--repetitions", "--orders", "--variants", "--modes",
				"--capacity", "--delivery-concurrency", "--heap");
		Scenario read;
		try {
			read = ScenarioFile.read(file);
		}
		catch (ScenarioException ex) {
			throw usage(ex.getMessage());
		}
		catch (IOException ex) {
			throw usage("--scenario %s cannot be read: %s".formatted(file, ex));
		}
		ScenarioRun run = new ScenarioRun(read);
		RunDirectory directory = RunDirectory.create(this.out, read.name(), Instant.now());
		try (Interruption interruption = new Interruption()) {
			RunResult result = run.judged(
					new CompareExperiment(run.settings("lab " + String.join(" ", commandLine()), this.infrastructure),
							ComparePlan.of(run.sweep()), directory, Progress.toStandardError())
						.run(interruption));
			RunFile.write(result, directory.path());
			return conclude(result, ResultTable.of(result) + ScenarioRun.text(result), directory);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The comparison cannot go on", ex);
		}
	}

	private int compare() throws IOException {
		ComparePlan plan = plan();
		CompareExperiment.Settings settings = settings();
		RunDirectory directory = RunDirectory.create(this.out, CompareExperiment.NAME, Instant.now());
		Progress progress = Progress.toStandardError();
		try (Interruption interruption = new Interruption()) {
			RunResult result = new CompareExperiment(settings, plan, directory, progress).run(interruption);
			return conclude(result, ResultTable.of(result), directory);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The comparison cannot go on", ex);
		}
	}

	private int conclude(RunResult result, String table, RunDirectory directory) throws IOException {
		PrintWriter stdout = this.spec.commandLine().getOut();
		Path report = directory.path().resolve(ReportCommand.NAME);
		Report.write(List.of(result), report);
		stdout.print(table);
		stdout.println("Report: " + report);
		stdout.flush();
		if (result.partial() != null) {
			throw new LabException("The comparison is partial: " + result.partial());
		}
		return 0;
	}

	private ComparePlan plan() {
		try {
			return ComparePlan.of(sweep());
		}
		catch (IllegalArgumentException ex) {
			throw usage(ex.getMessage());
		}
	}

	private Sweep sweep() {
		boolean once = this.quick || this.smallest;
		List<Integer> defaultOrders = this.smallest ? SMALLEST_ORDERS : this.quick ? QUICK_ORDERS : ALL_ORDERS;
		List<Variant> defaultVariants = this.smallest ? List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE)
				: List.of(Variant.values());
		List<BackendCapacity> chosen = (this.capacities != null)
				? this.capacities.stream().map((name) -> capacity(name)).toList()
				: this.smallest ? List.of(BackendCapacity.UNLIMITED) : List.of(BackendCapacity.values());
		int limit = (this.quick && this.orders == null) ? QUICK_STARVED_SYNC_LIMIT : Sweep.ALL;
		return new Sweep(
				(this.variants != null) ? this.variants.stream().map((name) -> Variant.of(name).id()).toList()
						: defaultVariants.stream().map(Variant::id).toList(),
				(this.modes != null) ? this.modes.stream().map((name) -> mode(name)).toList() : List.of(Mode.values()),
				chosen.stream().map(BackendCapacity::model).toList(),
				(this.orders != null) ? this.orders : defaultOrders,
				(this.repetitions != null) ? this.repetitions : once ? 1 : FULL_REPETITIONS, limit);
	}

	private CompareExperiment.Settings settings() {
		if (this.deliveryConcurrency < 1) {
			throw usage("--delivery-concurrency must be at least 1");
		}
		if (!this.heap.matches("[1-9][0-9]*[kmgKMG]")) {
			throw usage("--heap '%s' is no size: write it as 768m or 1g".formatted(this.heap));
		}
		int warmUpOrders = this.smallest ? 300 : 4_000;
		int burst = this.smallest ? 100 : 1_000;
		long deadline = (this.quick || this.smallest) ? QUICK_DEADLINE_MILLIS : DEADLINE_MILLIS;
		return new CompareExperiment.Settings("lab " + String.join(" ", commandLine()), this.infrastructure,
				Stream.of(BackendCapacity.values()).map(BackendCapacity::model).toList(), OrderLoad.USUAL, this.heap,
				"-XX:+UseG1GC", this.deliveryConcurrency, warmUpOrders, burst, deadline);
	}

	private List<String> commandLine() {
		return Stream
			.concat(Stream.of("compare"),
					this.spec.commandLine()
						.getParseResult()
						.originalArgs()
						.stream()
						.filter((word) -> !word.equals("compare")))
			.toList();
	}

	private Mode mode(String name) {
		try {
			return Mode.of(name);
		}
		catch (IllegalArgumentException _) {
			throw usage("mode '%s' is unknown: use sync, queued".formatted(name));
		}
	}

	private BackendCapacity capacity(String name) {
		try {
			return BackendCapacity.of(name);
		}
		catch (IllegalArgumentException _) {
			throw usage("capacity '%s' is unknown: use unlimited, starved".formatted(name));
		}
	}

	private ParameterException usage(@Nullable String message) {
		return new ParameterException(this.spec.commandLine(), String.valueOf(message));
	}

}
