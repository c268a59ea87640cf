package dev.sluice.lab.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load.Kind;
import dev.sluice.lab.kit.deployed.YamlFile;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult.Judgement;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.node.ObjectNode;

import static dev.sluice.lab.kit.cell.Load.Kind.BURST;
import static dev.sluice.lab.kit.cell.Load.Kind.OFFERED;

/**
 * A comparison that a user has described in a file. Each record refuses values that are
 * out of range with an {@link IllegalArgumentException} that names the key.
 *
 * @param question the question that it answers
 * @param backend the backend's behaviour
 * @param services the gateways and the consumer
 * @param load the orders
 * @param limits limits that each cell must meet
 */
public record Scenario(String question, BackendBehaviour backend, Services services, Load load, Limits limits) {

	/** What a file leaves out. */
	private static final String DEFAULTS = """
			{"services": {"gateways": ["servlet-platform", "servlet-virtual", "servlet-async", "reactive"],
			  "heap": "768m", "collector": "G1", "delivery-concurrency": 50},
			"load": {"modes": ["sync", "queued"], "orders": [], "rates": [], "seconds": 0, "in-flight": 1000, "items": 2,
			  "deadline-seconds": 60, "repetitions": 1},
			"limits": {}}
			""";

	private static final int WARM_UP_ORDERS = 4_000;

	/** Seed for the order of its cells, the same each time. */
	static final long SEED = 1;

	/**
	 * The services that the lab starts.
	 *
	 * @param gateways the gateways
	 * @param heap heap of each service, in the JVM's notation
	 * @param collector garbage collector of each service
	 * @param deliveryConcurrency orders that the consumer delivers at once
	 */
	@JsonNaming(KebabCaseStrategy.class)
	public record Services(List<Variant> gateways, String heap, Collector collector, int deliveryConcurrency) {
		public Services {
			gateways = List.copyOf(gateways);
			require(!gateways.isEmpty(), "'gateways' is empty: leave it out or name at least one");
			require(heap.matches("[1-9][0-9]*[kmgKMG]"), "'heap' is not a size: write it as 768m or 1g");
			range("delivery-concurrency", deliveryConcurrency, 1, 100_000);
		}
	}

	/** The JVM's collectors. */
	public enum Collector {

		G1("G1"), SERIAL("Serial"), PARALLEL("Parallel"), ZGC("Z");

		private final String label;

		Collector(String label) {
			this.label = label;
		}

		/** The JVM's option. */
		public String option() {
			return "-XX:+Use%sGC".formatted(this.label);
		}

	}

	/**
	 * The load of the cells: numbers of orders, or rates.
	 *
	 * @param modes the modes
	 * @param orders numbers of orders, placed whenever a user is free
	 * @param rates orders due each second, by the clock
	 * @param seconds length of a cell with a rate
	 * @param inFlight maximum number of orders in flight
	 * @param items items of each order
	 * @param deadlineSeconds time limit of a cell
	 * @param repetitions number of repetitions of each cell
	 */
	@JsonNaming(KebabCaseStrategy.class)
	public record Load(List<Mode> modes, List<Integer> orders, List<Integer> rates, int seconds, int inFlight,
			int items, int deadlineSeconds, int repetitions) {
		public Load {
			modes = List.copyOf(modes);
			orders = orders.stream().distinct().toList();
			rates = rates.stream().distinct().toList();
			require(!modes.isEmpty(), "'modes' is empty: leave it out or name at least one");
			orders.forEach((number) -> range("orders", number, 1, 1_000_000));
			rates.forEach((rate) -> range("rates", rate, 1, 100_000));
			range("seconds", seconds, rates.isEmpty() ? 0 : 1, 1_800);
			range("in-flight", inFlight, 1, 5_000);
			range("items", items, 1, 100);
			range("deadline-seconds", deadlineSeconds, 1, 3_600);
			range("repetitions", repetitions, 1, 100);
		}

	}

	/**
	 * Limits that each cell must meet; null for no limit.
	 *
	 * @param p99Millis maximum 99th percentile of an accepted call, in milliseconds
	 * @param failedShare maximum share of failed calls, 0 to 1
	 * @param savedPerSecond minimum number of orders saved each second
	 */
	@JsonNaming(KebabCaseStrategy.class)
	public record Limits(@Nullable Long p99Millis, @Nullable Double failedShare, @Nullable Long savedPerSecond) {
		public Limits {
			range("p99-millis", Objects.requireNonNullElse(p99Millis, 1L), 1, 600_000);
			range("failed-share", Objects.requireNonNullElse(failedShare, 0.0), 0, 1);
			range("saved-per-second", Objects.requireNonNullElse(savedPerSecond, 1L), 1, 100_000_000);
		}
	}

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if it cannot be read or is not a scenario
	 */
	public static Scenario read(Path file) {
		YamlFile yaml = YamlFile.read(file);
		ObjectNode document = (ObjectNode) YamlFile.JSON.readTree(DEFAULTS);
		document.set("backend", YamlFile.JSON.valueToTree(BackendBehaviour.DEFAULT));
		yaml.content().properties().forEach((section) -> {
			if (document.get(section.getKey()) instanceof ObjectNode defaults
					&& section.getValue() instanceof ObjectNode own) {
				defaults.setAll(own);
			}
			else {
				document.set(section.getKey(), section.getValue());
			}
		});
		// Unknown keys are refused first: what is missing may be misspelt.
		Scenario scenario = yaml.as(Scenario.class, document);
		if (!document.has("question")) {
			throw yaml.refused("'question' is missing");
		}
		if (scenario.load().orders().isEmpty() == scenario.load().rates().isEmpty()) {
			throw yaml
				.refused("'load' has either 'orders', as [10, 1000], or 'rates' per second, as [50], with 'seconds'");
		}
		return scenario;
	}

	/** A scenario's name: that of its file without the extension. */
	public static String name(Path file) {
		return String.valueOf(file.getFileName()).replaceFirst("\\.ya?ml$", "");
	}

	/**
	 * Its cells.
	 * @param name its name, and its backend's in the results
	 */
	ComparePlan plan(String name) {
		Sweep sweep = new Sweep(this.services.gateways().stream().map(Gateway::of).toList(), this.load.modes(),
				List.of(new BackendModel(name, this.backend)), kind(),
				(kind() == OFFERED) ? this.load.rates() : this.load.orders(), this.load.repetitions(), SEED, false);
		CellLoad burst = CellLoad.burst(this.load.deadlineSeconds() * 1_000L, WARM_UP_ORDERS);
		CellLoad chosen = new CellLoad(kind(), this.load.inFlight(), this.load.items(), this.load.seconds() * 1_000L, 1,
				burst.deadlineMillis(), (kind() == OFFERED) ? Settling.WHOLE : burst.settling(), burst.warmUpOrders());
		return new ComparePlan(sweep.blocks(), sweep.backends(), chosen, this.services.heap(),
				this.services.collector().option(), this.services.deliveryConcurrency());
	}

	private Kind kind() {
		return this.load.rates().isEmpty() ? BURST : OFFERED;
	}

	/** Compares the cells that other processes did not disturb with the limits. */
	ScenarioResult judge(String name, List<CellResult> cells) {
		return new ScenarioResult(name, this.question, limitsInWords(),
				cells.stream()
					.filter((cell) -> cell.foreignCpuShare() == null || !Reliability.disturbed(cell.foreignCpuShare()))
					.map((cell) -> new Judgement(cell.cell(), missed(cell)))
					.toList());
	}

	private List<String> limitsInWords() {
		List<String> words = new ArrayList<>();
		if (this.limits.p99Millis() != null) {
			words.add(String.format(Locale.ROOT, "p99 of an accepted call at most %,d ms", this.limits.p99Millis()));
		}
		if (this.limits.failedShare() != null) {
			words.add(String.format(Locale.ROOT, "at most %.1f %% of the calls fail", this.limits.failedShare() * 100));
		}
		if (this.limits.savedPerSecond() != null) {
			words.add(String.format(Locale.ROOT, "at least %,d orders saved per second", this.limits.savedPerSecond()));
		}
		return words;
	}

	private List<String> missed(CellResult cell) {
		List<String> missed = new ArrayList<>();
		if (cell.problem() != null) {
			missed.add(cell.problem());
		}
		if (this.limits.p99Millis() != null) {
			if (cell.latency() == null) {
				missed.add("no call was accepted");
			}
			else if (cell.latency().p99AtMost() + late(cell) > this.limits.p99Millis()) {
				missed.add(String.format(Locale.ROOT, "%s %,.0f ms",
						(cell.latency().p99() != null) ? "p99" : "too few calls for a p99, the slowest",
						cell.latency().p99AtMost())
						+ ((late(cell) > 0) ? String.format(Locale.ROOT, ", started up to %,d ms late", late(cell))
								: ""));
			}
		}
		double failed = (cell.calls() > 0) ? (double) cell.failedCalls() / cell.calls() : 0;
		if (this.limits.failedShare() != null && failed > this.limits.failedShare()) {
			missed.add(String.format(Locale.ROOT, "%.1f %% of the calls failed", failed * 100));
		}
		if (this.limits.savedPerSecond() != null && cell.savedPerSecond() < this.limits.savedPerSecond()) {
			missed.add(String.format(Locale.ROOT, "%,.0f orders saved per second", cell.savedPerSecond()));
		}
		return missed;
	}

	/**
	 * Greatest delay with which orders due by the clock were started, in milliseconds.
	 */
	private int late(CellResult cell) {
		return (kind() == OFFERED && cell.startLagP99Millis() != null) ? cell.startLagP99Millis() : 0;
	}

	private static void range(String key, Number value, Number least, Number most) {
		require(value.doubleValue() >= least.doubleValue() && value.doubleValue() <= most.doubleValue(),
				"'%s' is %s: use %s to %s".formatted(key, value, least, most));
	}

	private static void require(boolean holds, String message) {
		if (!holds) {
			throw new IllegalArgumentException(message);
		}
	}

}
