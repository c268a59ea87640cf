package dev.sluice.lab.compare;

import dev.sluice.lab.compare.page.GridPage;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.LengthOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code lab grid}. */
@Command(name = "grid",
		description = "Measures gateways that wait for a backend, by its delay and the requests in flight: throughput,"
				+ " response time, executing against queued, CPU and memory. Takes some minutes with --quick, otherwise"
				+ " more than half an hour.")
public final class GridCommand extends ExperimentCommand {

	@Mixin
	private LengthOptions length = new LengthOptions();

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Override
	public Integer call() {
		GridPlan grid = GridPlan.of(this.length.value());
		return run(GridPage.NAME, commandLine(),
				(run) -> new CompareExperiment(run, this.infrastructure.value(), grid.settings(), grid.plan(), null));
	}

}
