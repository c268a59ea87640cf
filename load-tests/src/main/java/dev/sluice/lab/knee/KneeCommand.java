package dev.sluice.lab.knee;

import java.time.Duration;
import java.util.List;

import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.ModesOption;
import dev.sluice.lab.kit.run.VariantsOption;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab knee}. */
@Command(name = "knee",
		description = "Searches the greatest rate that each variant and mode sustains under a latency goal, without failures,"
				+ " in an open model. Each of the eight searches takes at most two minutes, and is repeated.")
public final class KneeCommand extends ExperimentCommand {

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	private static final Duration MEASURED = Duration.ofSeconds(5);

	/**
	 * Time limit of one search, after which no step begins. The two searches of a variant
	 * take at most four minutes.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(95);

	private static final Settling SMALLEST_SETTLING = new Settling(1_000, 1_000, 2_000);

	private static final Duration SMALLEST_STEP = Duration.ofMillis(500);

	private static final Duration SMALLEST_LIMIT = Duration.ofSeconds(6);

	@Option(names = "--goal", split = ",", paramLabel = "GOAL",
			description = "p99=TIME of the answers since due, saved-p99=TIME from accepted to saved of queued orders."
					+ " Default: p99=200ms,saved-p99=1s.")
	private List<String> goals = List.of();

	@Mixin
	private VariantsOption variants = new VariantsOption();

	@Mixin
	private ModesOption modes = new ModesOption();

	@Option(names = "--repetitions", paramLabel = "N", defaultValue = "3",
			description = "Searches of each variant and mode; the report has their median and range."
					+ " Default: ${DEFAULT-VALUE}, with --smallest 1.")
	private int repetitions = 3;

	@Option(names = "--smallest",
			description = "A few short steps: shows that everything works; its figures mean little.")
	private boolean smallest;

	@Mixin
	private TargetOptions target = new TargetOptions();

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Override
	public Integer call() {
		KneeExperiment.Settings settings = settings();
		return run(KneeExperiment.NAME, commandLine(),
				(run) -> new KneeExperiment(run, this.infrastructure.value(), settings));
	}

	private KneeExperiment.Settings settings() {
		if (this.repetitions < 1) {
			throw usage("--repetitions must be at least 1");
		}
		try {
			Target deployed = this.target.value();
			if (deployed != null) {
				refuseUnmeasurable(deployed);
			}
			return new KneeExperiment.Settings(this.variants.value(List.of(Variant.values())), this.modes.value(),
					Goal.of(this.goals), this.smallest ? SMALLEST_STEP : WARM_UP,
					this.smallest ? SMALLEST_STEP : MEASURED, this.smallest ? SMALLEST_LIMIT : LIMIT,
					this.smallest ? SMALLEST_SETTLING : Settling.WHOLE,
					(this.smallest && !has("--repetitions")) ? 1 : this.repetitions, deployed);
		}
		catch (IllegalArgumentException ex) {
			throw usage(ex.getMessage());
		}
	}

	private void refuseUnmeasurable(Target deployed) {
		refuse("--target is measured as it is", "--variants", "--infra");
		if (this.modes.value().contains(Mode.QUEUED) && !deployed.metrics().containsKey(Target.CONSUMER)) {
			throw usage("Whether queued orders are saved in time is asked of the consumer's own Prometheus endpoint:"
					+ " name it in the target's 'metrics', or measure --modes sync");
		}
	}

}
