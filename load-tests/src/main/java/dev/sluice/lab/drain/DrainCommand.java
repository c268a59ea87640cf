package dev.sluice.lab.drain;

import java.time.Duration;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab drain}. */
@Command(name = "drain",
		description = "Measures how fast the consumer delivers a backlog, against what its limit allows.")
public final class DrainCommand extends ExperimentCommand {

	private static final Duration DEADLINE = Duration.ofSeconds(300);

	@Option(names = "--orders", paramLabel = "COUNT", defaultValue = "60000",
			description = "Orders in the backlog. Default: ${DEFAULT-VALUE}.")
	private int orders = 60_000;

	@Option(names = "--delivery-concurrency", paramLabel = "COUNT", defaultValue = "100",
			description = "Orders that the consumer delivers at once. Default: ${DEFAULT-VALUE}.")
	private int deliveryConcurrency = 100;

	@Option(names = "--delay", paramLabel = "MILLIS", defaultValue = "50",
			description = "Time that the backend takes for an order, in ms. Default: ${DEFAULT-VALUE}.")
	private long delayMillis = 50;

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Override
	public Integer call() {
		if (this.orders < 100 || this.deliveryConcurrency < 1 || this.delayMillis < 1) {
			throw usage("At least 100 orders, 1 delivery at once and a delay of 1 ms are needed");
		}
		DrainExperiment.Settings settings = new DrainExperiment.Settings(this.orders, this.deliveryConcurrency,
				this.delayMillis, Patience.of(DEADLINE).toMillis());
		return run(DrainExperiment.NAME, commandLine(),
				(run) -> new DrainExperiment(run, this.infrastructure.value(), settings));
	}

}
