package dev.sluice.lab.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.client.ClientExperiment.Deployed;
import dev.sluice.lab.client.ReferenceCases.Case;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetOptions;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.ModesOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab client}. */
@Command(name = "client",
		description = "Sends requests at a fixed rate, however many are outstanding, and prints a status line each second.",
		footer = { "", "Tot Req, Tot Rsp: since the start. Out Req: outstanding. Cur Q/S, Cur R/S, Cur Lat: sent,"
				+ " answered and mean latency in the last second. Threads: platform threads of this process." })
public final class ClientCommand extends ExperimentCommand {

	private static final double RATE = 10;

	private static final int SECONDS = 20;

	@Option(names = { "-u", "--uri" }, paramLabel = "URI", description = "URI to GET.")
	private @Nullable URI uri;

	@Option(names = { "-r", "--requests-per-second" }, paramLabel = "R", defaultValue = "" + RATE,
			description = "Requests to send each second. Default: ${DEFAULT-VALUE}.")
	private double requestsPerSecond = RATE;

	@Option(names = { "-m", "--mode" }, paramLabel = "MODE", defaultValue = "async",
			description = "How the client waits for answers: async; blocking, 200 threads; virtual, a virtual thread"
					+ " each; sync-over-async, a pool of 12 that is blocked on futures and grows by one thread per second."
					+ " Default: ${DEFAULT-VALUE}.")
	private CallMode mode = CallMode.ASYNC;

	@Option(names = { "-d", "--duration" }, paramLabel = "SECONDS", defaultValue = "" + SECONDS,
			description = "Time for which requests are sent, in seconds. Default: ${DEFAULT-VALUE}.")
	private int seconds = SECONDS;

	@Option(names = "--reference-table",
			description = "Repeats the four runs of the reference measurement against a backend that it starts. Takes"
					+ " about 85 s.")
	private boolean referenceTable;

	@Mixin
	private TargetOptions target = new TargetOptions();

	@Mixin
	private ModesOption modes = new ModesOption();

	@Override
	public Integer call() {
		ClientExperiment.Settings settings = settings();
		return run(ClientExperiment.NAME, commandLine(), (run) -> new ClientExperiment(run, settings));
	}

	private ClientExperiment.Settings settings() {
		if (this.referenceTable && this.uri != null) {
			throw usage("--reference-table starts its own backend: leave --uri out");
		}
		Deployed deployed = deployed();
		if (deployed != null) {
			if (this.uri != null || this.referenceTable) {
				throw usage("--target places orders: leave --uri and --reference-table out");
			}
			return new ClientExperiment.Settings(List.of(ownCase()), null, ClientExperiment.TIMEOUT, deployed);
		}
		if (this.referenceTable) {
			return new ClientExperiment.Settings(ReferenceCases.all(), null, Duration.ZERO, null);
		}
		return new ClientExperiment.Settings(List.of(ownCase()), target(), ClientExperiment.TIMEOUT, null);
	}

	private @Nullable Deployed deployed() {
		return argument(() -> {
			Target read = this.target.value();
			if (read == null && has("--modes")) {
				throw usage("--modes are those of orders, which only --target gets");
			}
			return (read != null) ? new Deployed(read, this.modes.value()) : null;
		});
	}

	private URI target() {
		if (this.uri == null) {
			throw usage("--uri says what to GET; or use --reference-table");
		}
		if (!"http".equals(this.uri.getScheme()) || this.uri.getHost() == null || this.uri.getPort() > Ports.MAX) {
			throw usage("--uri must be like http://127.0.0.1:8090/5000");
		}
		return this.uri;
	}

	private Case ownCase() {
		double requests = this.requestsPerSecond * this.seconds;
		if (this.seconds < 1 || !(requests >= 1 && requests <= OpenClient.MAX_REQUESTS)) {
			throw usage("--requests-per-second for --duration: 1 to %s requests in at least 1 s"
				.formatted(OpenClient.MAX_REQUESTS));
		}
		return new Case("%s, %s/s".formatted(this.mode, Figures.measured(this.requestsPerSecond)), this.mode,
				this.mode.threads(), this.requestsPerSecond, Duration.ofSeconds(this.seconds), "", null);
	}

}
