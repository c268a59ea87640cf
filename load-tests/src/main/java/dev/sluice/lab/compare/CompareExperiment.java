package dev.sluice.lab.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.compare.page.Collapse;
import dev.sluice.lab.compare.page.ComparePage;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.TargetOptions;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.EnvironmentProbe;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code lab compare}: each gateway in each mode, by default under rising numbers of
 * orders in flight.
 */
@Command(name = "compare",
		description = "Measures each gateway, synchronous and queued, under rising loads, and writes a report.")
public final class CompareExperiment extends CellsExperiment {

	private static final Set<Variant> QUICK_VARIANTS = EnumSet.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE);

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
	private long seed = ThreadLocalRandom.current().nextLong(MAX_SEEDS);

	@Option(names = "--variants", split = ",", paramLabel = "VARIANT",
			description = "servlet-platform, servlet-virtual, servlet-async, reactive. Default: all, but"
					+ " servlet-virtual and reactive with --quick or --smallest.")
	private Set<Variant> variants = EnumSet.allOf(Variant.class);

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: both.")
	private Set<Mode> modes = EnumSet.allOf(Mode.class);

	@Option(names = "--repetitions", paramLabel = "COUNT",
			description = "Number of times each cell runs. Default: 3, with --quick or --smallest 1.")
	private @Nullable Integer repetitions;

	@Option(names = "--delivery-concurrency", paramLabel = "COUNT", defaultValue = "1000",
			description = "Orders that the consumer delivers at once. Default: ${DEFAULT-VALUE}.")
	private int deliveryConcurrency = 1_000;

	@Mixin
	private TargetOptions target = new TargetOptions();

	@Option(names = "--force",
			description = "Measures although other processes use the CPU. Unless most cells turn out reliable,"
					+ " nothing is concluded.")
	private boolean force;

	/** The system that is measured instead of one that the lab starts. */
	private @Nullable Target deployed;

	private @Nullable Scenario played;

	@Override
	protected String name() {
		return this.causes ? Collapse.NAME : super.name();
	}

	@Override
	protected List<String> drawn() {
		return (this.causes || this.scenario != null || has("--seed")) ? List.of()
				: List.of("--seed", Long.toString(this.seed));
	}

	@Override
	protected boolean isForced() {
		return this.force || this.causes;
	}

	@Override
	protected void check() {
		this.deployed = this.causes ? null : argument(this.target::value);
		if (this.deployed == null) {
			super.check();
			return;
		}
		refuse("--target is measured as it is", "--scenario", "--quick", "--in-flight", "--burst", "--orders",
				"--variants", "--delivery-concurrency", "--infra");
		require(this.rates != null && this.rates.stream().allMatch((rate) -> rate >= 1),
				"--target needs --rates: how many orders per second may it get, as 50,100?");
		require(times() >= 1, "--repetitions is at least 1");
	}

	@Override
	protected ComparePlan plan() {
		return this.causes ? causes() : (this.scenario != null) ? played(this.scenario) : swept();
	}

	private ComparePlan causes() {
		refuse("--causes chooses its own settings", "--scenario", "--in-flight", "--rates", "--burst", "--orders",
				"--seed", "--variants", "--modes", "--delivery-concurrency");
		require(this.repetitions == null || length() == Length.WHOLE && this.repetitions >= 1,
				"--repetitions is at least 1, and --quick and --smallest have no repetitions");
		return new CausesPlan(length(), times()).plan();
	}

	private ComparePlan played(Path file) {
		refuse("The scenario says it", "--quick", "--smallest", "--repetitions", "--in-flight", "--rates", "--burst",
				"--orders", "--seed", "--variants", "--modes", "--delivery-concurrency");
		this.played = argument(() -> Scenario.read(file));
		return this.played.plan(Scenario.name(file));
	}

	private ComparePlan swept() {
		require(Stream.of(this.inFlight != null, this.rates != null, this.burst).filter((one) -> one).count() <= 1,
				"--in-flight, --rates and --burst are three experiments: choose one");
		require(this.orders == null || this.burst, "--orders are those of --burst: add it, or use --in-flight");
		require(this.deliveryConcurrency >= 1, "--delivery-concurrency must be at least 1");
		boolean smallest = length() == Length.SMALLEST;
		Set<Variant> all = (has("--variants") || length() == Length.WHOLE) ? this.variants : QUICK_VARIANTS;
		Sweep sweep = argument(() -> new Sweep(all.stream().map(Gateway::of).toList(), List.copyOf(this.modes),
				capacities(kind(), length()), kind(), loads(), times(), this.seed, !this.burst && fits(all.size())));
		long deadline = (length() == Length.WHOLE) ? DEADLINE_MILLIS : QUICK_DEADLINE_MILLIS;
		CellLoad load = switch (kind()) {
			case IN_FLIGHT, OFFERED -> smallest ? CellLoad.smallest(kind()) : CellLoad.lasting(kind(), deadline);
			case BURST -> CellLoad.burst(deadline, smallest ? 300 : 4_000);
		};
		return new ComparePlan(sweep.blocks(), sweep.backends(), load, HEAP_MIB + "m", ComparePlan.G1,
				this.deliveryConcurrency);
	}

	private int times() {
		return (this.repetitions != null) ? this.repetitions : (length() == Length.WHOLE) ? FULL_REPETITIONS : 1;
	}

	private Load.Kind kind() {
		return this.burst ? Load.Kind.BURST : (this.rates != null) ? Load.Kind.OFFERED : Load.Kind.IN_FLIGHT;
	}

	private List<Integer> loads() {
		List<Integer> given = switch (kind()) {
			case IN_FLIGHT -> this.inFlight;
			case OFFERED -> this.rates;
			case BURST -> this.orders;
		};
		return (given != null) ? given : switch (length()) {
			case SMALLEST -> List.of(10, this.burst ? 100 : 50);
			case QUICK -> List.of(10, 100, 1_000);
			case WHOLE ->
				this.burst ? List.of(10, 50, 100, 200, 500, 1_000, 2_000, 3_000) : List.of(10, 30, 100, 300, 1_000);
		};
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

	@Override
	protected void measure() throws IOException, InterruptedException {
		if (this.deployed != null) {
			new TargetComparison(this.deployed, (length() == Length.SMALLEST) ? SMALLEST_CELL : TARGET_CELL, progress())
				.measure(offered(this.deployed), cells()::add);
			return;
		}
		if (this.scenario != null) {
			directory().keepScenario(this.scenario);
		}
		super.measure();
	}

	/** A deployed system gets only the load that the user states. */
	private List<Cell> offered(Target system) {
		Random random = new Random(this.seed);
		List<Load> loads = Objects.requireNonNull(this.rates)
			.stream()
			.distinct()
			.map((rate) -> new Load(Load.Kind.OFFERED, rate))
			.toList();
		return IntStream.rangeClosed(1, times())
			.boxed()
			.flatMap((repetition) -> Sweep
				.drawn(system.gateways().keySet(), List.copyOf(this.modes), TargetComparison.BACKEND, loads, repetition,
						random)
				.stream())
			.toList();
	}

	@Override
	protected Finding finding() {
		return (this.deployed != null) ? new CompareResult(cells(), null, null, length().toString()) : super.finding();
	}

	@Override
	protected @Nullable ScenarioResult judged() {
		return (this.scenario != null && this.played != null) ? this.played.judge(Scenario.name(this.scenario), cells())
				: null;
	}

	@Override
	protected @Nullable String failure(RunResult result) {
		return (this.causes || length() == Length.SMALLEST) ? null : ComparePage.refusal(result).orElse(null);
	}

	@Override
	protected List<Check> checks() {
		return (this.deployed != null) ? List.of() : super.checks();
	}

	@Override
	protected Map<String, String> configuration() {
		return (this.deployed != null) ? this.deployed.notes() : super.configuration();
	}

}
