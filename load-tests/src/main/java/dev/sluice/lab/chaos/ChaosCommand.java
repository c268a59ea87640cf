package dev.sluice.lab.chaos;

import java.util.EnumSet;
import java.util.Set;

import dev.sluice.lab.chaos.Fault.Target;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.LengthOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab chaos}. */
@Command(name = "chaos",
		description = "Kills, freezes and restarts everything while orders come in, then proves that each accepted"
				+ " order was saved once. The backend is the witness: frozen and made to fail, but killed only with"
				+ " --store postgres.",
		footer = { "", "Exit code: 0 the balance holds, 1 it does not or the run is not whole, 2 wrong usage." })
public final class ChaosCommand extends ExperimentCommand {

	private static final int MINUTES = 5;

	private static final int QUICK_SECONDS = 120;

	private static final double RATE = 100;

	private static final double SMALLEST_RATE = 10;

	private static final int MAX_ORDERS = 2_000_000;

	@Mixin
	private LengthOptions length = new LengthOptions();

	@Option(names = "--minutes", paramLabel = "M", description = "Length of the load. Default: " + MINUTES + ".")
	private @Nullable Double minutes;

	@Option(names = "--rate", paramLabel = "R", description = "Orders per second, by the clock. Default: " + RATE
			+ ", with --smallest " + SMALLEST_RATE + ".")
	private @Nullable Double rate;

	@Option(names = "--seed", paramLabel = "S",
			description = "Start value of the order of the faults. Default: drawn, and printed.")
	private @Nullable Long seed;

	@Option(names = "--faults", split = ",", paramLabel = "TARGET",
			description = "What to break: ${COMPLETION-CANDIDATES}. Default: all.")
	private Set<Target> targets = EnumSet.allOf(Target.class);

	@Option(names = "--brokers", paramLabel = "B", defaultValue = "1",
			description = "Number of Kafka brokers, 1 or 3. With 3, one at a time is broken. Default: ${DEFAULT-VALUE}.")
	private int brokers = 1;

	@Option(names = "--store", paramLabel = "STORE", defaultValue = "memory",
			description = "Where the backend keeps its orders: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
	private ChaosExperiment.Store store = ChaosExperiment.Store.MEMORY;

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Override
	public Integer call() {
		ChaosExperiment.Settings settings = settings();
		return run(ChaosExperiment.NAME,
				(this.seed != null) ? commandLine() : commandLine("--seed", Long.toString(settings.seed())),
				(run) -> new ChaosExperiment(run, this.infrastructure.value(), settings));
	}

	private ChaosExperiment.Settings settings() {
		Length chosen = this.length.value();
		double perSecond = (this.rate != null) ? this.rate : (chosen == Length.SMALLEST) ? SMALLEST_RATE : RATE;
		double seconds = (this.minutes != null) ? this.minutes * 60
				: (chosen == Length.WHOLE) ? MINUTES * 60 : QUICK_SECONDS;
		double orders = seconds * perSecond;
		if (!(perSecond > 0 && perSecond <= 10_000 && orders >= 1 && orders <= MAX_ORDERS)) {
			throw usage("--rate must be above 0 and at most 10,000, and with --minutes give 1 to %s orders"
				.formatted(MAX_ORDERS));
		}
		if (this.brokers != 1 && this.brokers != 3) {
			throw usage("--brokers must be 1 or 3");
		}
		return new ChaosExperiment.Settings((int) Math.round(orders), perSecond, this.targets, this.brokers, this.store,
				chosen == Length.SMALLEST, (this.seed != null) ? this.seed : System.nanoTime() % 1_000_000);
	}

}
