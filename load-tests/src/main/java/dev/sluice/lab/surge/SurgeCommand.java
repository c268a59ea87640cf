package dev.sluice.lab.surge;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.VariantsOption;
import dev.sluice.lab.kit.stack.Variant;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code lab surge}. */
@Command(name = "surge",
		description = "Shows second by second what clients see of a gateway after its start and when the load surges.")
public final class SurgeCommand extends ExperimentCommand {

	private static final int MAX_CONNECTIONS = 20_000;

	private static final int MIN_HEAP = 128;

	@Mixin
	private VariantsOption variants = new VariantsOption();

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: queued.")
	private Set<Mode> modes = EnumSet.of(Mode.QUEUED);

	@Option(names = "--steps", split = ",", paramLabel = "RATE:SECONDS", defaultValue = "300:5,300:10,3000:30,300:15",
			converter = StepConverter.class,
			description = "The load: orders per second, and for how long; one step after another. Default: ${DEFAULT-VALUE}.")
	private List<Step> steps = List.of();

	@Option(names = "--connections", paramLabel = "COUNT", defaultValue = "2000",
			description = "Connections, opened before the load. Default: ${DEFAULT-VALUE}.")
	private int connections = 2_000;

	@Option(names = "--keys", description = "Gives each order an idempotency key.")
	private boolean keyed;

	@Option(names = "--heap", paramLabel = "MB", defaultValue = "384",
			description = "The gateway's heap in MB. Default: ${DEFAULT-VALUE}.")
	private int heapMegabytes = 384;

	@Option(names = "--own-warm-up", paramLabel = "SECONDS", defaultValue = "5",
			description = "How long the gateway warms up before it is ready; 0: not at all. Default: ${DEFAULT-VALUE}.")
	private int ownWarmUpSeconds = 5;

	@Option(names = "--repetitions", paramLabel = "COUNT", defaultValue = "1",
			description = "Starts of each variant and mode, by turns. Default: ${DEFAULT-VALUE}.")
	private int repetitions = 1;

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	/** Reads {@code RATE:SECONDS}, of which neither is 0. */
	static final class StepConverter implements ITypeConverter<Step> {

		private static final Pattern STEP = Pattern.compile("(\\d{1,6}(?:\\.\\d{1,3})?):([1-9]\\d{0,4})");

		@Override
		public Step convert(String text) {
			Matcher step = STEP.matcher(text);
			if (!step.matches() || Double.parseDouble(step.group(1)) == 0) {
				throw new TypeConversionException("'%s' is not like 3000:30".formatted(text));
			}
			return new Step(Double.parseDouble(step.group(1)), Duration.ofSeconds(Long.parseLong(step.group(2))));
		}

	}

	@Override
	public Integer call() {
		List<Variant> chosen = this.variants.value(List.of(Variant.values()));
		if (this.connections < 1 || this.connections > MAX_CONNECTIONS) {
			throw usage("--connections: 1 to %s".formatted(MAX_CONNECTIONS));
		}
		if (this.heapMegabytes < MIN_HEAP) {
			throw usage("--heap: at least %s MB".formatted(MIN_HEAP));
		}
		if (this.repetitions < 1) {
			throw usage("--repetitions: at least 1");
		}
		if (this.keyed && this.modes.contains(Mode.SYNC)) {
			throw usage("--keys: not with sync orders, whose keys no gateway can look up without a consumer");
		}
		long orders = this.steps.stream().mapToLong(Step::requests).sum();
		if (orders < 1 || orders > OpenClient.MAX_REQUESTS) {
			throw usage("--steps: 1 to %s orders in all".formatted(OpenClient.MAX_REQUESTS));
		}
		SurgeExperiment.Settings settings = new SurgeExperiment.Settings(chosen, List.copyOf(this.modes),
				this.repetitions, this.connections, this.keyed, this.heapMegabytes, this.ownWarmUpSeconds, this.steps);
		return run(SurgeExperiment.NAME, commandLine(),
				(run) -> new SurgeExperiment(run, this.infrastructure.value(), settings));
	}

}
