package dev.sluice.lab.pool;

import java.time.Duration;

import dev.sluice.lab.kit.run.ExperimentCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lab pool}. */
@Command(name = "pool",
		description = "Sends messages to a backend that accepts a few new connections a second, first over new"
				+ " connections, then over kept ones.")
public final class PoolCommand extends ExperimentCommand {

	private static final Duration WHOLE = Duration.ofMinutes(5);

	private static final Duration QUICK = Duration.ofSeconds(50);

	@Option(names = "--quick", description = "Each case takes 50 s instead of five minutes.")
	private boolean quick;

	@Override
	public Integer call() {
		return run(PoolExperiment.NAME, commandLine(), (run) -> new PoolExperiment(run, this.quick ? QUICK : WHOLE));
	}

}
