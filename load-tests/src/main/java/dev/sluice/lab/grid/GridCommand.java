package dev.sluice.lab.grid;

import java.util.List;

import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.LengthOptions;
import dev.sluice.lab.kit.run.ReportWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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

	private static final int MAX_DELAY = 5_000;

	/** The gateways' {@code backend.max-concurrent}. */
	private static final int MAX_CONCURRENCY = 2_000;

	@Mixin
	private LengthOptions length = new LengthOptions();

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Option(names = "--delays", split = ",", paramLabel = "MILLIS",
			description = "Delays of the backend, in ms. Default: 0,100,250,500.")
	private @Nullable List<Long> delays;

	@Option(names = "--concurrency", split = ",", paramLabel = "N",
			description = "Requests in flight. Default: 10,20,…,100,200,500,1000; with --quick 10,50,100.")
	private @Nullable List<Integer> concurrencies;

	public GridCommand(ReportWriter report) {
		super(report);
	}

	@Override
	public Integer call() {
		GridPlan plan = plan();
		return run(GridExperiment.NAME, commandLine(),
				(run) -> new GridExperiment(run, this.infrastructure.value(), warmUpOrders(), plan));
	}

	private int warmUpOrders() {
		return switch (this.length.value()) {
			case SMALLEST -> SMALLEST_WARM_UP;
			case QUICK -> QUICK_WARM_UP;
			case WHOLE -> WARM_UP;
		};
	}

	private GridPlan plan() {
		GridPlan plan = GridPlan.of(this.length.value());
		plan = plan.with((this.delays != null) ? this.delays.stream().distinct().toList() : plan.delays(),
				(this.concurrencies != null) ? this.concurrencies.stream().distinct().toList() : plan.concurrencies());
		if (plan.delays().stream().anyMatch((delay) -> delay < 0 || delay > MAX_DELAY)) {
			throw usage("--delays: 0 to %s ms".formatted(MAX_DELAY));
		}
		if (plan.concurrencies().stream().anyMatch((load) -> load < 1 || load > MAX_CONCURRENCY)) {
			throw usage("--concurrency: 1 to %s".formatted(MAX_CONCURRENCY));
		}
		return plan;
	}

}
