package dev.sluice.lab.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.client.ReferenceCases.Case;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetOptions;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.process.ProcessGroup;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.ModesOption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.statistics.Window;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import static dev.sluice.lab.kit.page.Figures.measured;

/** {@code lab client}: runs cases one after another, each with a new client. */
@Command(name = "client",
		description = "Sends requests at a fixed rate, however many are outstanding, and prints a status line each second.",
		footer = { "", "Tot Req, Tot Rsp: since the start. Out Req: outstanding. Cur Q/S, Cur R/S, Cur Lat: sent,"
				+ " answered and mean latency in the last second. Threads: platform threads of this process." })
public final class ClientExperiment extends Experiment {

	private static final double RATE = 10;

	private static final int SECONDS = 20;

	/**
	 * Warm-up before each run, by the same client and at the same rate, so that classes
	 * are loaded, hot code is compiled and connections are open before the first request
	 * counts.
	 */
	private static final Duration WARM_UP = Duration.ofSeconds(5);

	/** Time after which a request has failed. */
	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	/** Each has a connection. */
	private static final int MAX_OUTSTANDING = 20_000;

	private static final int HTTP_PORT = 80;

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

	/** Whose gateways get orders in each case; null to send GET requests instead. */
	private @Nullable Target deployed;

	private final List<ClientResult.Run> runs = new ArrayList<>();

	@Override
	protected void check() {
		this.deployed = argument(this.target::value);
		require(this.deployed != null || !has("--modes"), "--modes are those of orders, which only --target gets");
		require(this.deployed == null || this.uri == null && !this.referenceTable,
				"--target places orders: leave --uri and --reference-table out");
		require(this.uri == null || !this.referenceTable, "--reference-table starts its own backend: leave --uri out");
		double requests = this.requestsPerSecond * this.seconds;
		require(this.seconds >= 1 && requests >= 1 && requests <= OpenClient.MAX_REQUESTS,
				"--requests-per-second for --duration: 1 to %s requests in at least 1 s"
					.formatted(OpenClient.MAX_REQUESTS));
		require(this.uri != null || this.deployed != null || this.referenceTable,
				"--uri says what to GET; or use --reference-table");
		require(this.uri == null
				|| "http".equals(this.uri.getScheme()) && this.uri.getHost() != null && this.uri.getPort() <= Ports.MAX,
				"--uri must be like http://127.0.0.1:8090/5000");
	}

	private List<Case> cases() {
		return this.referenceTable ? ReferenceCases.all()
				: List.of(new Case("%s, %s/s".formatted(this.mode, measured(this.requestsPerSecond)), this.mode,
						this.mode.threads(), this.requestsPerSecond, Duration.ofSeconds(this.seconds), "", null));
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		if (this.deployed != null) {
			placeOrders(this.deployed);
		}
		else if (this.uri != null) {
			runAll(this.uri);
		}
		else {
			try (Stack stack = stack()) {
				progress().step("Starting the backend");
				runAll(stack.startBackend(ServiceOptions.NONE).uri());
			}
		}
	}

	@Override
	protected Finding finding() {
		return new ClientResult(this.runs);
	}

	/**
	 * Places orders at each gateway in each mode. The target's machine is not sampled.
	 */
	private void placeOrders(Target target) throws InterruptedException {
		try (TargetSystem system = new TargetSystem(target)) {
			for (Case each : cases()) {
				for (Map.Entry<String, URI> gateway : target.gateways().entrySet()) {
					for (Mode mode : this.modes.value()) {
						placeOrders("%s %s, %s".formatted(gateway.getKey(), mode, each.name()), each,
								gateway.getValue(), mode, system);
					}
				}
			}
		}
	}

	private void placeOrders(String name, Case each, URI gateway, Mode mode, TargetSystem system)
			throws InterruptedException {
		progress().step("%s against %s for %s s".formatted(name, gateway, each.duration().toSeconds()));
		try (OpenClient client = new OpenClient(each.mode(), each.threads(), system.tls())) {
			answered(gateway, client.run(load(each, WARM_UP), orders(gateway, mode, system)));
			Figures figures = answered(gateway,
					client.run(load(each, each.duration()), orders(gateway, mode, system), this::print));
			this.runs.add(run(name, each, gateway, figures, null));
		}
	}

	private static OrderRequests orders(URI gateway, Mode mode, TargetSystem system) {
		return new OrderRequests(gateway, mode, OrderRequests.unused("client"), system.authorization());
	}

	/**
	 * Fails if requests were sent and none was answered. A warm-up at a low rate may send
	 * nothing.
	 */
	private static Figures answered(URI uri, Figures figures) {
		if (figures.tally().sent() > 0 && figures.tally().answered() == 0) {
			throw new LabException(
					"%s does not answer (%s): is it started?".formatted(uri, figures.tally().failures()));
		}
		return figures;
	}

	private OpenLoad load(Case each, Duration duration) {
		return new OpenLoad(each.requestsPerSecond(), duration, this.referenceTable ? Duration.ZERO : TIMEOUT,
				MAX_OUTSTANDING);
	}

	/** A line of aligned columns. */
	private void print(Second second) {
		out().println(String.format(Locale.ROOT,
				"%s  Tot Req %-7d Tot Rsp %-7d Out Req %-6d Cur Q/S %-6d Cur R/S %-6d Cur Lat %-9s Threads %d",
				Instant.now().truncatedTo(ChronoUnit.MILLIS), second.sent(), second.answered(), second.outstanding(),
				second.sentNow(), second.answeredNow(),
				(second.latencyMillis() != null) ? Math.round(second.latencyMillis()) + "ms" : "-", second.threads()));
		out().flush();
	}

	private static ClientResult.Run run(String name, Case each, URI uri, Figures figures,
			@Nullable Double foreignCpuShare) {
		return new ClientResult.Run(name, each.mode().toString(), each.threads(), uri.toString(),
				each.requestsPerSecond(), each.duration().toMillis(), figures.tally(), figures.latency(), figures.lag(),
				figures.cpuMillisPerRequest(), foreignCpuShare, figures.seconds(), each.reference());
	}

	private void runAll(URI base) throws IOException, InterruptedException {
		for (Case each : cases()) {
			URI uri = each.path().isEmpty() ? base : base.resolve(each.path());
			progress().step("%s against %s for %s s".formatted(each.name(), uri, each.duration().toSeconds()));
			this.runs.add(run(each, uri));
		}
	}

	private ClientResult.Run run(Case each, URI uri) throws IOException, InterruptedException {
		Map<String, ProcessGroup> groups = new LinkedHashMap<>();
		groups.put("client", ProcessGroup.of(ProcessHandle.current().pid()));
		Ports.holder((uri.getPort() < 0) ? HTTP_PORT : uri.getPort())
			.ifPresent((process) -> groups.put("target", ProcessGroup.of(process.pid())));
		Path samples = directory().directory("samples").resolve(each.name().replaceAll("\\W+", "-") + ".csv");
		HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
		// The lab's own backend answers these at once, so that no case begins with a
		// queue.
		HttpRequest warmUp = (this.uri != null) ? request
				: HttpRequest.newBuilder(uri.resolve("/0")).timeout(TIMEOUT).build();
		try (ProcessSampler sampler = new ProcessSampler(groups, samples);
				OpenClient client = new OpenClient(each.mode(), each.threads(), null)) {
			answered(uri, client.run(load(each, WARM_UP), (_) -> warmUp));
			// Waits for a sample before the first request.
			Thread.sleep(ProcessSampler.INTERVAL);
			Instant from = Instant.now();
			Figures figures = client.run(load(each, each.duration()), (_) -> request, this::print);
			Window window = new Window(from, Instant.now());
			return run(each.name(), each, uri, figures,
					sampler.samples().foreignCpuShare(window, Runtime.getRuntime().availableProcessors()));
		}
	}

	@Override
	protected Map<String, String> configuration() {
		return (this.deployed != null) ? this.deployed.notes() : Map.of();
	}

}
