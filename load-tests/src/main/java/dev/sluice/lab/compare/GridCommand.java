package dev.sluice.lab.compare;

import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.LengthOptions;
import dev.sluice.lab.kit.run.ReportWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code lab grid}. */
@Command(name = "grid",
		description = "Measures gateways that wait for a backend, by its delay and the requests in flight: throughput,"
				+ " response time, executing against queued, CPU and memory. Takes about half an hour, with --quick five"
				+ " minutes.")
public final class GridCommand extends ExperimentCommand {

	/**
	 * Ends after 20 s at the latest. The first cell that the CPU limits still uses twice
	 * the CPU of the later ones for a request; with a thirtieth of this warm-up, six
	 * times.
	 */
	private static final int WARM_UP = 60_000;

	/** As many as fit into a quick run's five minutes. */
	private static final int QUICK_WARM_UP = 2_000;

	private static final int SMALLEST_WARM_UP = 200;

	@Mixin
	private LengthOptions length = new LengthOptions();

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	public GridCommand(ReportWriter report) {
		super(report);
	}

	@Override
	public Integer call() {
		return run(GridExperiment.NAME, commandLine(), (run) -> new GridExperiment(run, this.infrastructure.value(),
				warmUpOrders(), GridPlan.of(this.length.value())));
	}

	private int warmUpOrders() {
		return switch (this.length.value()) {
			case SMALLEST -> SMALLEST_WARM_UP;
			case QUICK -> QUICK_WARM_UP;
			case WHOLE -> WARM_UP;
		};
	}

}
