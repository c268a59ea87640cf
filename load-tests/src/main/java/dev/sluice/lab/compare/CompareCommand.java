package dev.sluice.lab.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.lab.causes.CausesExperiment;
import dev.sluice.lab.compare.CompareExperiment.OrderLoad;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.kit.measure.PairedComparison;
import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.LengthOptions;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.ReportWriter;
import dev.sluice.lab.kit.run.VariantOptions;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.ScenarioException;
import dev.sluice.lab.scenario.ScenarioFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab compare}. */
@Command(name = "compare",
		description = "Measures each gateway, synchronous and queued, under a rising number of orders,"
				+ " and writes a report.")
public final class CompareCommand extends ExperimentCommand {

	private static final List<Integer> ALL_ORDERS = List.of(10, 50, 100, 200, 500, 1_000, 2_000, 3_000);

	private static final List<Integer> QUICK_ORDERS = List.of(10, 100, 1_000, 3_000);

	private static final List<Integer> SMALLEST_ORDERS = List.of(10, 100);

	private static final int FULL_REPETITIONS = 3;

	private static final int CAUSES_REPETITIONS = PairedComparison.LEAST_PAIRS;

	private static final int QUICK_STARVED_SYNC_LIMIT = 1_000;

	private static final long DEADLINE_MILLIS = 180_000;

	private static final long QUICK_DEADLINE_MILLIS = 45_000;

	@Mixin
	private LengthOptions length = new LengthOptions();

	@Option(names = "--causes",
			description = "What makes the synchronous rate collapse? Backend's threads, gateway's"
					+ " threads, heap, collector and retries, connections: each alone, pairs, all at once."
					+ " Takes 8 minutes with --quick, otherwise about two hours: each setting runs eight times.")
	private boolean causes;

	@Option(names = "--scenario", paramLabel = "FILE",
			description = "Runs a scenario, from load-tests/scenarios/*.yaml or a file of your own: backend, gateways, load,"
					+ " limits.")
	private @Nullable Path scenario;

	@Option(names = "--orders", split = ",", paramLabel = "N",
			description = "Numbers of orders to place. Default: 10,50,…,3000; with --quick 10,100,1000,3000.")
	private @Nullable List<Integer> orders;

	@Mixin
	private VariantOptions variants = new VariantOptions();

	@Option(names = "--capacity", split = ",", paramLabel = "MODEL",
			description = "The backend's capacity: unlimited, starved. Default: both.")
	private @Nullable List<String> capacities;

	@Option(names = "--repetitions", paramLabel = "COUNT",
			description = "Number of times each cell runs. Default: 3, with --quick or --smallest 1.")
	private @Nullable Integer repetitions;

	@Option(names = "--delivery-concurrency", paramLabel = "COUNT", defaultValue = "50",
			description = "Orders that the consumer delivers at once. Default: ${DEFAULT-VALUE}.")
	private int deliveryConcurrency = 50;

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Option(names = "--heap", paramLabel = "SIZE", defaultValue = "768m",
			description = "Heap of each service, such as 768m or 1g. Default: ${DEFAULT-VALUE}.")
	private String heap = "768m";

	public CompareCommand(ReportWriter report) {
		super(report);
	}

	@Override
	public Integer call() {
		if (this.causes) {
			return findCauses();
		}
		return (this.scenario != null) ? play(this.scenario) : compare();
	}

	private int findCauses() {
		refuse("--causes chooses its own settings", "--scenario", "--orders", "--variants", "--modes", "--capacity",
				"--delivery-concurrency", "--heap");
		Length chosen = this.length.value();
		if (this.repetitions != null && (chosen != Length.WHOLE || this.repetitions < 1)) {
			throw usage("--repetitions is at least 1, and --quick and --smallest have no repetitions");
		}
		int times = (this.repetitions != null) ? this.repetitions : CAUSES_REPETITIONS;
		return run(CausesExperiment.SHORT_NAME, commandLine(),
				(run) -> new CausesExperiment(run, this.infrastructure.value(), chosen, times));
	}

	private void refuse(String why, String... options) {
		Stream.of(options).filter(this::has).findFirst().ifPresent((option) -> {
			throw usage("%s: leave out %s".formatted(why, option));
		});
	}

	private int play(Path file) {
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
		ScenarioRun scenarioRun = new ScenarioRun(read);
		return run(read.name(), commandLine(), (run) -> new CompareExperiment(run, this.infrastructure.value(),
				scenarioRun.settings(), ComparePlan.of(scenarioRun.sweep()), scenarioRun));
	}

	private int compare() {
		ComparePlan plan = plan();
		CompareExperiment.Settings settings = settings();
		return run(CompareExperiment.NAME, commandLine(),
				(run) -> new CompareExperiment(run, this.infrastructure.value(), settings, plan, null));
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
		boolean smallest = this.length.value() == Length.SMALLEST;
		boolean quick = this.length.value() == Length.QUICK;
		List<Integer> defaultOrders = smallest ? SMALLEST_ORDERS : quick ? QUICK_ORDERS : ALL_ORDERS;
		List<Variant> defaultVariants = smallest ? List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE)
				: List.of(Variant.values());
		List<BackendCapacity> chosen = (this.capacities != null)
				? this.capacities.stream().map((name) -> capacity(name)).toList()
				: smallest ? List.of(BackendCapacity.UNLIMITED) : List.of(BackendCapacity.values());
		int limit = (quick && this.orders == null) ? QUICK_STARVED_SYNC_LIMIT : Sweep.ALL;
		int times = (this.repetitions != null) ? this.repetitions : (quick || smallest) ? 1 : FULL_REPETITIONS;
		return new Sweep(this.variants.variants(defaultVariants).stream().map(Variant::id).toList(),
				this.variants.modes(), chosen.stream().map(BackendCapacity::model).toList(),
				(this.orders != null) ? this.orders : defaultOrders, times, limit);
	}

	private CompareExperiment.Settings settings() {
		if (this.deliveryConcurrency < 1) {
			throw usage("--delivery-concurrency must be at least 1");
		}
		if (!this.heap.matches("[1-9][0-9]*[kmgKMG]")) {
			throw usage("--heap '%s' is no size: write it as 768m or 1g".formatted(this.heap));
		}
		boolean smallest = this.length.value() == Length.SMALLEST;
		int warmUpOrders = smallest ? 300 : 4_000;
		int burst = smallest ? 100 : 1_000;
		long deadline = (this.length.value() != Length.WHOLE) ? QUICK_DEADLINE_MILLIS : DEADLINE_MILLIS;
		return new CompareExperiment.Settings(Stream.of(BackendCapacity.values()).map(BackendCapacity::model).toList(),
				OrderLoad.USUAL, this.heap, "-XX:+UseG1GC", this.deliveryConcurrency, warmUpOrders, burst, deadline);
	}

	private BackendCapacity capacity(String name) {
		try {
			return BackendCapacity.of(name);
		}
		catch (IllegalArgumentException _) {
			throw usage("capacity '%s' is unknown: use unlimited, starved".formatted(name));
		}
	}

}
