package dev.sluice.lab.load;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetOptions;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.ReportWriter;
import dev.sluice.lab.scenario.TargetFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab load}. */
@Command(name = "load",
		description = "Places orders at a deployed system at a fixed rate, from one machine or from several together.",
		footer = { "", "On the first of three machines:",
				"  lab load --target URI -r 3000 -d 60 --of 1/3 --listen 10.0.0.1:7070", "On the others:",
				"  lab load --target URI --of 2/3 --coordinator http://10.0.0.1:7070" })
public final class LoadCommand extends ExperimentCommand {

	private static final double RATE = 10;

	private static final int SECONDS = 20;

	private static final int MAX_SECONDS = 86_400;

	private static final int MAX_JOIN_SECONDS = 3_600;

	@Mixin
	private TargetOptions target = new TargetOptions();

	@Option(names = { "-r", "--requests-per-second" }, paramLabel = "R",
			description = "Orders to place each second, by all parts together. Default: " + RATE + ".")
	private @Nullable Double requestsPerSecond;

	@Option(names = { "-d", "--duration" }, paramLabel = "SECONDS",
			description = "Time for which orders are placed, in seconds. Default: " + SECONDS + ".")
	private @Nullable Integer seconds;

	@Option(names = "--mode", paramLabel = "MODE", description = "sync or queued. Default: sync.")
	private @Nullable String mode;

	@Option(names = "--of", paramLabel = "K/N",
			description = "This is part K of N. The first one coordinates the others and has the figures of all."
					+ " Default: 1/1.")
	private String part = "1/1";

	@Option(names = "--listen", paramLabel = "HOST:PORT",
			description = "Address on which the first of several parts listens for the others. It has no access control.")
	private @Nullable String listen;

	@Option(names = "--coordinator", paramLabel = "URI",
			description = "Address of the first part, like http://10.0.0.1:7070, which sets rate, time and mode.")
	private @Nullable URI coordinator;

	@Option(names = "--join-timeout", paramLabel = "SECONDS", defaultValue = "120",
			description = "Time for all parts to join, in seconds. Default: ${DEFAULT-VALUE}.")
	private int joinSeconds = 120;

	public LoadCommand(ReportWriter report) {
		super(report);
	}

	@Override
	public Integer call() {
		LoadExperiment.Settings settings = settings();
		return run(LoadExperiment.NAME, commandLine(), (run) -> new LoadExperiment(run, settings));
	}

	private LoadExperiment.Settings settings() {
		try {
			Target deployed = this.target.value(TargetFile::read);
			if (deployed == null) {
				throw usage("--target says where to place orders");
			}
			Part own = Part.parse(this.part);
			checkCoordination(own);
			double rate = (this.requestsPerSecond != null) ? this.requestsPerSecond : RATE;
			int time = (this.seconds != null) ? this.seconds : SECONDS;
			if (!(rate > 0) || time < 1 || time > MAX_SECONDS) {
				throw usage("--requests-per-second must be above 0, and --duration 1 to %,d seconds"
					.formatted(MAX_SECONDS));
			}
			if (rate * time < own.of() || rate * time / own.of() > OpenClient.MAX_REQUESTS) {
				throw usage("This is less than one order for each part, or more than %,d"
					.formatted(OpenClient.MAX_REQUESTS));
			}
			if (this.joinSeconds < 1 || this.joinSeconds > MAX_JOIN_SECONDS) {
				throw usage("--join-timeout: 1 to %,d seconds".formatted(MAX_JOIN_SECONDS));
			}
			return new LoadExperiment.Settings(deployed, (this.mode != null) ? Mode.of(this.mode) : Mode.SYNC, rate,
					time, own, (this.listen != null) ? address(this.listen) : null, this.coordinator,
					Duration.ofSeconds(this.joinSeconds));
		}
		catch (IllegalArgumentException ex) {
			throw usage(ex.getMessage());
		}
	}

	private void checkCoordination(Part own) {
		boolean alone = own.of() == 1;
		if (!alone && own.isCoordinator() != (this.listen != null)
				|| !alone && own.isCoordinator() == (this.coordinator != null)) {
			throw usage(own.isCoordinator() ? "The first part has --listen, and no --coordinator"
					: "%s has --coordinator, and no --listen".formatted(own));
		}
		if (alone && (this.listen != null || this.coordinator != null)) {
			throw usage("--listen and --coordinator are of several parts: add --of");
		}
		if (this.coordinator != null && (!"http".equals(this.coordinator.getScheme())
				|| this.coordinator.getHost() == null || this.coordinator.getPort() > Ports.MAX)) {
			throw usage("--coordinator must be like http://10.0.0.1:7070");
		}
		if (this.coordinator != null && (this.requestsPerSecond != null || this.seconds != null || this.mode != null)) {
			throw usage("The first part sets rate, time and mode: leave -r, -d and --mode out");
		}
	}

	private static InetSocketAddress address(String text) {
		int colon = text.lastIndexOf(':');
		if (colon > 0 && text.substring(colon + 1).matches("\\d{1,5}")) {
			int port = Integer.parseInt(text.substring(colon + 1));
			if (port <= Ports.MAX) {
				InetSocketAddress address = new InetSocketAddress(text.substring(0, colon), port);
				if (!address.isUnresolved()) {
					return address;
				}
			}
		}
		throw new IllegalArgumentException(
				"--listen must be an address of this machine and a port, like 10.0.0.1:7070; it is '%s'"
					.formatted(text));
	}

}
