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

import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.client.ReferenceCases.Case;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.process.ProcessGroup;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.statistics.Window;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import org.jspecify.annotations.Nullable;

/** Runs cases one after another, each with a new client. */
final class ClientExperiment extends Experiment {

	static final String NAME = "client";

	/**
	 * Warm-up before each run, by the same client and at the same rate, so that classes
	 * are loaded, hot code is compiled and connections are open before the first request
	 * counts.
	 */
	private static final Duration WARM_UP = Duration.ofSeconds(5);

	/** Time after which a request has failed. */
	static final Duration TIMEOUT = Duration.ofSeconds(60);

	/** Each has a connection. */
	private static final int MAX_OUTSTANDING = 20_000;

	private static final int HTTP_PORT = 80;

	private final Settings settings;

	private final List<ClientResult.Run> runs = new ArrayList<>();

	/**
	 * The chosen settings.
	 *
	 * @param cases in the order they run
	 * @param target URI to which the cases' paths are added; null to start a backend
	 * @param patience time to wait for answers after each case
	 * @param deployed system whose gateways get orders in each case; null to send GET
	 * requests instead
	 */
	record Settings(List<Case> cases, @Nullable URI target, Duration patience, @Nullable Deployed deployed) {
	}

	/**
	 * A deployed system.
	 *
	 * @param modes modes in which its orders are placed
	 */
	record Deployed(Target target, List<Mode> modes) {
	}

	ClientExperiment(Run run, Settings settings) {
		// Kafka and PostgreSQL are not needed and not started.
		super(NAME, run, Infrastructure.EMBEDDED);
		this.settings = settings;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		if (this.settings.deployed() != null) {
			placeOrders(this.settings.deployed());
		}
		else if (this.settings.target() != null) {
			runAll(this.settings.target());
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
	private void placeOrders(Deployed deployed) throws InterruptedException {
		try (TargetSystem system = new TargetSystem(deployed.target())) {
			for (Case each : this.settings.cases()) {
				for (Map.Entry<String, URI> gateway : deployed.target().gateways().entrySet()) {
					for (Mode mode : deployed.modes()) {
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
		return new OpenLoad(each.requestsPerSecond(), duration, this.settings.patience(), MAX_OUTSTANDING);
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

	private void runAll(URI target) throws IOException, InterruptedException {
		for (Case each : this.settings.cases()) {
			URI uri = each.path().isEmpty() ? target : target.resolve(each.path());
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
		HttpRequest warmUp = (this.settings.target() != null) ? request
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
		return (this.settings.deployed() != null) ? this.settings.deployed().target().notes() : Map.of();
	}

}
