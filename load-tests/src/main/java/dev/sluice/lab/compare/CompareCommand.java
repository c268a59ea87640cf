package dev.sluice.lab.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetOptions;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.run.EnvironmentProbe;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.LengthOptions;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.ModesOption;
import dev.sluice.lab.kit.run.VariantsOption;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.ScenarioFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab compare}. */
@Command(name = "compare",
		description = "Measures each gateway, synchronous and queued, under rising loads, and writes a report.")
public final class CompareCommand extends ExperimentCommand {

	private static final List<Integer> ALL_IN_FLIGHT = List.of(10, 30, 100, 300, 1_000);

	private static final List<Integer> QUICK_LOADS = List.of(10, 100, 1_000);

	private static final List<Integer> SMALLEST_IN_FLIGHT = List.of(10, 50);

	private static final List<Integer> ALL_ORDERS = List.of(10, 50, 100, 200, 500, 1_000, 2_000, 3_000);

	private static final List<Integer> SMALLEST_ORDERS = List.of(10, 100);

	private static final List<Variant> QUICK_VARIANTS = List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE);

	private static final int FULL_REPETITIONS = 3;

	private static final long DEADLINE_MILLIS = 180_000;

	private static final long QUICK_DEADLINE_MILLIS = 45_000;

	/** Length of a cell of a target, and of its warm-up. */
	private static final Duration TARGET_CELL = Duration.ofSeconds(10);

	private static final Duration SMALLEST_CELL = Duration.ofSeconds(2);

	/** Upper limit of drawn seeds, which users type in to repeat a run. */
	private static final long MAX_SEEDS = 1_000_000;

	/** Of each service. */
	private static final long HEAP_MIB = 768;

	/** Share of the machine's memory for the services' heaps. */
	private static final double HEAP_SHARE = 0.5;

	/** Number of services other than gateways. */
	private static final int OTHERS = 2;

	@Mixin
	private LengthOptions length = new LengthOptions();

	@Option(names = "--causes",
			description = "What makes the synchronous rate collapse? Backend's threads, gateway's"
					+ " threads, heap, collector and retries, connections: each alone, and all together. Takes some"
					+ " minutes with --quick; otherwise each setting runs three times.")
	private boolean causes;

	@Option(names = "--scenario", paramLabel = "FILE",
			description = "Runs a scenario, from load-tests/scenarios/*.yaml or a file of your own: backend, gateways, load,"
					+ " limits.")
	private @Nullable Path scenario;

	@Option(names = "--in-flight", split = ",", paramLabel = "N",
			description = "Orders in flight. Default: 10,30,100,300,1000; with --quick 10,100,1000.")
	private @Nullable List<Integer> inFlight;

	@Option(names = "--rates", split = ",", paramLabel = "R",
			description = "Orders offered per second, by the clock, instead of orders in flight: shows the wait"
					+ " against the rate, and its knee.")
	private @Nullable List<Integer> rates;

	@Option(names = "--burst",
			description = "Bursts of N orders in services that are not warm, as the reference measured, instead of orders"
					+ " in flight.")
	private boolean burst;

	@Option(names = "--orders", split = ",", paramLabel = "N",
			description = "Orders of the bursts. Default: 10,50,…,3000; with --quick 10,100,1000.")
	private @Nullable List<Integer> orders;

	@Option(names = "--seed", paramLabel = "SEED",
			description = "Seed for the order of the cells. Default: a new one for each run.")
	private @Nullable Long seed;

	private final long drawn = ThreadLocalRandom.current().nextLong(MAX_SEEDS);

	@Mixin
	private VariantsOption variants = new VariantsOption();

	@Mixin
	private ModesOption modes = new ModesOption();

	@Option(names = "--repetitions", paramLabel = "COUNT",
			description = "Number of times each cell runs. Default: 3, with --quick or --smallest 1.")
	private @Nullable Integer repetitions;

	@Option(names = "--delivery-concurrency", paramLabel = "COUNT", defaultValue = "1000",
			description = "Orders that the consumer delivers at once. Default: ${DEFAULT-VALUE}.")
	private int deliveryConcurrency = 1_000;

	@Mixin
	private TargetOptions target = new TargetOptions();

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Option(names = "--force",
			description = "Measures although other processes use the CPU. Unless most cells turn out reliable,"
					+ " nothing is concluded.")
	private boolean force;

	@Override
	public Integer call() {
		if (this.causes) {
			return findCauses();
		}
		Target deployed = argument(() -> this.target.value());
		if (deployed != null) {
			return compare(deployed);
		}
		return (this.scenario != null) ? play(this.scenario) : compare();
	}

	/** A deployed system gets only the load that the user states. */
	private int compare(Target deployed) {
		refuse("--target is measured as it is", "--scenario", "--quick", "--in-flight", "--burst", "--orders",
				"--variants", "--delivery-concurrency", "--infra");
		if (this.rates == null || this.rates.stream().anyMatch((rate) -> rate < 1)) {
			throw usage("--target needs --rates: how many orders per second may it get, as 50,100?");
		}
		Duration cell = (this.length.value() == Length.SMALLEST) ? SMALLEST_CELL : TARGET_CELL;
		if (times() < 1) {
			throw usage("--repetitions is at least 1");
		}
		TargetComparison.Settings settings = new TargetComparison.Settings(deployed, this.modes.value(),
				this.rates.stream().distinct().toList(), times(), cell, seed(), this.length.value());
		return run(CompareExperiment.NAME, repeatable(), (run) -> new TargetComparison(run, settings));
	}

	private int findCauses() {
		refuse("--causes chooses its own settings", "--scenario", "--in-flight", "--rates", "--burst", "--orders",
				"--seed", "--variants", "--modes", "--delivery-concurrency");
		Length chosen = this.length.value();
		if (this.repetitions != null && (chosen != Length.WHOLE || this.repetitions < 1)) {
			throw usage("--repetitions is at least 1, and --quick and --smallest have no repetitions");
		}
		CausesPlan causes = new CausesPlan(chosen, times());
		return run("causes", commandLine(), (run) -> new CompareExperiment(run, this.infrastructure.value(),
				causes.settings(), causes.plan(), null));
	}

	private int play(Path file) {
		refuse("The scenario says it", "--quick", "--smallest", "--repetitions", "--in-flight", "--rates", "--burst",
				"--orders", "--seed", "--variants", "--modes", "--delivery-concurrency");
		Scenario read = argument(() -> ScenarioFile.read(file));
		ScenarioRun scenarioRun = new ScenarioRun(ScenarioFile.name(file), read);
		return run(scenarioRun.name(), commandLine(), (run) -> {
			run.directory().keepScenario(file);
			return new CompareExperiment(run, this.infrastructure.value(), scenarioRun.settings(this.force),
					ComparePlan.of(scenarioRun.sweep()), scenarioRun);
		});
	}

	private int compare() {
		if (this.inFlight != null && (this.rates != null || this.burst) || this.rates != null && this.burst) {
			throw usage("--in-flight, --rates and --burst are three experiments: choose one");
		}
		if (this.orders != null && !this.burst) {
			throw usage("--orders are those of --burst: add it, or use --in-flight");
		}
		if (this.deliveryConcurrency < 1) {
			throw usage("--delivery-concurrency must be at least 1");
		}
		Sweep sweep = sweep();
		ComparePlan plan = ComparePlan.of(sweep);
		CompareExperiment.Settings settings = settings(sweep);
		return run(CompareExperiment.NAME, repeatable(),
				(run) -> new CompareExperiment(run, this.infrastructure.value(), settings, plan, null));
	}

	private long seed() {
		return (this.seed != null) ? this.seed : this.drawn;
	}

	/** The command line with the seed, also if it was drawn. */
	private String repeatable() {
		return (this.seed != null) ? commandLine() : commandLine("--seed", Long.toString(this.drawn));
	}

	private int times() {
		return (this.repetitions != null) ? this.repetitions
				: (this.length.value() == Length.WHOLE) ? FULL_REPETITIONS : 1;
	}

	private Load.Kind kind() {
		return this.burst ? Load.Kind.BURST : (this.rates != null) ? Load.Kind.OFFERED : Load.Kind.IN_FLIGHT;
	}

	private List<Integer> loads() {
		Length chosen = this.length.value();
		return switch (kind()) {
			case IN_FLIGHT -> (this.inFlight != null) ? this.inFlight : switch (chosen) {
				case SMALLEST -> SMALLEST_IN_FLIGHT;
				case QUICK -> QUICK_LOADS;
				case WHOLE -> ALL_IN_FLIGHT;
			};
			case OFFERED -> Objects.requireNonNull(this.rates);
			case BURST -> (this.orders != null) ? this.orders : switch (chosen) {
				case SMALLEST -> SMALLEST_ORDERS;
				case QUICK -> QUICK_LOADS;
				case WHOLE -> ALL_ORDERS;
			};
		};
	}

	private Sweep sweep() {
		Length chosen = this.length.value();
		try {
			List<Variant> all = this.variants
				.value((chosen == Length.WHOLE) ? List.of(Variant.values()) : QUICK_VARIANTS);
			return new Sweep(all.stream().map(Gateway::of).toList(), this.modes.value(), capacities(kind(), chosen),
					kind(), loads(), times(), seed(), !this.burst && fits(all.size()));
		}
		catch (IllegalArgumentException ex) {
			throw usage(ex.getMessage());
		}
	}

	/**
	 * The default backends. Only bursts, which repeat the reference, include the starved
	 * one: it gets faster with time, which would favour longer cells, those of the queued
	 * mode.
	 */
	static List<BackendModel> capacities(Load.Kind kind, Length chosen) {
		if (chosen == Length.SMALLEST) {
			return List.of(BackendModel.UNLIMITED);
		}
		return switch (kind) {
			case IN_FLIGHT, OFFERED -> List.of(BackendModel.WORKERS, BackendModel.UNLIMITED);
			case BURST -> List.of(BackendModel.STARVED, BackendModel.UNLIMITED);
		};
	}

	/** Whether this many gateways can run side by side on this machine. */
	private static boolean fits(int gateways) {
		return (HEAP_MIB << 20) * (gateways + OTHERS) <= HEAP_SHARE * EnvironmentProbe.memoryBytes();
	}

	private CompareExperiment.Settings settings(Sweep sweep) {
		Length chosen = this.length.value();
		long deadline = (chosen == Length.WHOLE) ? DEADLINE_MILLIS : QUICK_DEADLINE_MILLIS;
		CellLoad load = switch (sweep.kind()) {
			case IN_FLIGHT, OFFERED -> (chosen == Length.SMALLEST) ? CellLoad.smallest(sweep.kind())
					: CellLoad.lasting(sweep.kind(), deadline);
			case BURST -> CellLoad.burst(deadline, (chosen == Length.SMALLEST) ? 300 : 4_000);
		};
		return new CompareExperiment.Settings(CompareExperiment.NAME, BackendModel.ALL, load, HEAP_MIB + "m",
				"-XX:+UseG1GC", this.deliveryConcurrency, chosen, this.force);
	}

}
