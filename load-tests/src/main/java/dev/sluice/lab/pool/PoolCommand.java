package dev.sluice.lab.pool;

import java.time.Duration;

import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.ReportWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lab pool}. */
@Command(name = "pool",
		description = "Sends messages through a queue and a dispatcher to a backend that accepts a few new connections a"
				+ " second, first over new connections, then over kept ones.")
public final class PoolCommand extends ExperimentCommand {

	private static final Duration WHOLE = Duration.ofMinutes(5);

	private static final Duration QUICK = Duration.ofSeconds(50);

	private static final int MAX_MESSAGES = 10_000;

	private static final int MAX_IN_FLIGHT = 10_000;

	@Option(names = "--quick", description = "Each case takes 50 s instead of five minutes.")
	private boolean quick;

	@Option(names = "--messages", paramLabel = "N", defaultValue = "8",
			description = "Messages produced together. Default: ${DEFAULT-VALUE}.")
	private int messages = 8;

	@Option(names = "--interval", paramLabel = "MILLIS", defaultValue = "1000",
			description = "Time between two productions, in ms. Default: ${DEFAULT-VALUE}.")
	private long intervalMillis = 1_000;

	@Option(names = "--in-flight", paramLabel = "N", defaultValue = "100",
			description = "Maximum number of messages in flight. Default: ${DEFAULT-VALUE}.")
	private int inFlight = 100;

	@Option(names = "--new-connections", paramLabel = "N", defaultValue = "5",
			description = "New connections that the backend accepts per second; 0 is no limit. Default: ${DEFAULT-VALUE}.")
	private int newConnections = 5;

	@Option(names = "--delay", paramLabel = "MILLIS", defaultValue = "100",
			description = "Time that the backend takes for a message, in ms. Default: ${DEFAULT-VALUE}.")
	private long delayMillis = 100;

	public PoolCommand(ReportWriter report) {
		super(report);
	}

	@Override
	public Integer call() {
		if (this.messages < 1 || this.messages > MAX_MESSAGES || this.intervalMillis < 1 || this.inFlight < 1
				|| this.inFlight > MAX_IN_FLIGHT || this.newConnections < 0 || this.delayMillis < 0) {
			throw usage("--messages and --in-flight: 1 to 10,000; --interval: at least 1; the others: at least 0");
		}
		PoolExperiment.Settings settings = new PoolExperiment.Settings(this.messages,
				Duration.ofMillis(this.intervalMillis), this.inFlight, this.newConnections, this.delayMillis,
				this.quick ? QUICK : WHOLE);
		return run(PoolExperiment.NAME, commandLine(), (run) -> new PoolExperiment(run, settings));
	}

}
