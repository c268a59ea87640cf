package dev.sluice.lab.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import javax.net.ssl.SSLContext;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.Caller;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.TargetOptions;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Reference;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
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

	private static final String TABLE = "reference-fixed-rate-client.csv";

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

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: both.")
	private Set<Mode> modes = EnumSet.allOf(Mode.class);

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
		return this.referenceTable ? referenceCases()
				: List.of(new Case("%s, %s/s".formatted(this.mode, measured(this.requestsPerSecond)), this.mode,
						this.mode.threads(), this.requestsPerSecond, Duration.ofSeconds(this.seconds), "", null));
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		if (this.deployed != null) {
			placeOrders(this.deployed);
		}
		else if (this.uri != null) {
			get(this.uri);
		}
		else {
			try (Stack stack = stack()) {
				progress().step("Starting the backend");
				get(stack.startBackend(ServiceOptions.NONE).uri());
			}
		}
	}

	@Override
	protected Finding finding() {
		return new ClientResult(this.runs);
	}

	/** Places orders at each gateway in each mode. */
	private void placeOrders(Target target) throws IOException, InterruptedException {
		try (TargetSystem system = new TargetSystem(target)) {
			for (Case each : cases()) {
				for (Map.Entry<String, URI> gateway : target.gateways().entrySet()) {
					for (Mode mode : this.modes) {
						run("%s %s, %s".formatted(gateway.getKey(), mode, each.name()), each, gateway.getValue(),
								system.tls(), system.orders(gateway.getValue(), mode, "client"),
								system.orders(gateway.getValue(), mode, "client"));
					}
				}
			}
		}
	}

	private void get(URI base) throws IOException, InterruptedException {
		for (Case each : cases()) {
			URI target = each.path().isEmpty() ? base : base.resolve(each.path());
			HttpRequest request = HttpRequest.newBuilder(target).timeout(TIMEOUT).build();
			// The lab's own backend answers these at once: no case begins with a queue.
			HttpRequest warmUp = (this.uri != null) ? request
					: HttpRequest.newBuilder(base.resolve("/0")).timeout(TIMEOUT).build();
			run(each.name(), each, target, null, (_) -> warmUp, (_) -> request);
		}
	}

	/** Warms up, measures, and keeps the result. */
	private void run(String name, Case each, URI target, @Nullable SSLContext tls, IntFunction<HttpRequest> warmUp,
			IntFunction<HttpRequest> requests) throws IOException, InterruptedException {
		progress().step("%s against %s for %s s".formatted(name, target, each.duration().toSeconds()));
		Map<String, List<Long>> groups = new LinkedHashMap<>();
		groups.put("client", List.of(ProcessHandle.current().pid()));
		Ports.holder((target.getPort() < 0) ? HTTP_PORT : target.getPort())
			.ifPresent((process) -> groups.put("target", List.of(process.pid())));
		Path samples = directory().directory("samples").resolve(name.replaceAll("\\W+", "-") + ".csv");
		try (ProcessSampler sampler = new ProcessSampler(groups, samples);
				Caller client = new Caller(each.mode(), each.threads(), tls)) {
			Tally warm = OpenClient.run(load(each, WARM_UP), client.sending(warmUp)).tally();
			// At a low rate it may send nothing.
			if (warm.sent() > 0 && warm.answered() == 0) {
				throw new LabException("%s does not answer (%s): is it started?".formatted(target, warm.failures()));
			}
			// Waits for a sample before the first request.
			Thread.sleep(ProcessSampler.INTERVAL);
			Instant from = Instant.now();
			Figures figures = OpenClient.run(load(each, each.duration()), client.sending(requests), this::print);
			Window window = new Window(from, Instant.now());
			// Of a deployed target's machine nothing is sampled.
			Double foreign = (this.deployed != null) ? null
					: sampler.samples().foreignCpuShare(window, Runtime.getRuntime().availableProcessors());
			this.runs.add(new ClientResult.Run(name, each.mode().toString(), each.threads(), target.toString(),
					each.requestsPerSecond(), each.duration().toMillis(), figures.tally(), figures.latency(),
					figures.lag(), figures.cpuMillisPerRequest(), foreign, figures.seconds(), each.reference()));
		}
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

	@Override
	protected Map<String, String> configuration() {
		return (this.deployed != null) ? this.deployed.notes() : Map.of();
	}

	/**
	 * A run of the client.
	 *
	 * @param threads number of threads that wait; null if the mode needs none
	 * @param path path of the target
	 * @param reference the reference's figures; null if it has no such case
	 */
	record Case(String name, CallMode mode, @Nullable Integer threads, double requestsPerSecond, Duration duration,
			String path, @Nullable Reference reference) {
	}

	/**
	 * The four runs of the measurement that it repeats: another machine, another
	 * language, the same question.
	 */
	static List<Case> referenceCases() {
		try (InputStream table = Objects.requireNonNull(ClientExperiment.class.getResourceAsStream(TABLE), TABLE)) {
			return new String(table.readAllBytes(), StandardCharsets.UTF_8).lines()
				.skip(1)
				.map((line) -> parse(line.split(",", -1)))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Case parse(String[] fields) {
		CallMode mode = CallMode.valueOf(fields[0].toUpperCase(Locale.ROOT).replace('-', '_'));
		Integer threads = fields[3].isEmpty() ? mode.threads() : Integer.valueOf(fields[3]);
		Reference reference = new Reference(Integer.parseInt(fields[4]), Long.parseLong(fields[5]),
				Long.parseLong(fields[6]), Long.parseLong(fields[7]), Double.parseDouble(fields[8]),
				Integer.parseInt(fields[9]), Boolean.parseBoolean(fields[10]));
		String name = "%s, %s/s%s".formatted(mode, fields[1],
				(threads != null) ? ", %s threads".formatted(threads) : "");
		return new Case(name, mode, threads, Double.parseDouble(fields[1]),
				Duration.ofSeconds(reference.elapsedSeconds()), "/" + fields[2], reference);
	}

}
