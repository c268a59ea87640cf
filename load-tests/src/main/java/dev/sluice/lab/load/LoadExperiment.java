package dev.sluice.lab.load;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.client.ClientText;
import dev.sluice.lab.kit.client.StatusLine;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.TargetSystem;
import dev.sluice.lab.kit.client.CallMode;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;

/** Sends a part of a load; the first part coordinates the others. */
final class LoadExperiment extends Experiment {

	static final String NAME = "load";

	/** Warm-up at the load's rate, which loads classes and opens connections. */
	private static final Duration WARM_UP = Duration.ofSeconds(5);

	/**
	 * Time from the end of the warm-up to the first request, as a slow machine finishes
	 * its warm-up late.
	 */
	private static final Duration LEAD = Duration.ofSeconds(5);

	/** Time to wait for the reports, in addition to {@link Plan#PATIENCE}. */
	private static final Duration REPORT_TIMEOUT = Duration.ofSeconds(30);

	private final Settings settings;

	private final List<PartReport> reports = new ArrayList<>();

	private @Nullable Plan plan;

	/**
	 * The chosen settings.
	 *
	 * @param part the part that this process sends
	 * @param listen address on which the first of several parts listens; null for others
	 * @param coordinator address of the coordinator; null for the first part
	 * @param joinTimeout time for all parts to join
	 */
	record Settings(Target target, Mode mode, double requestsPerSecond, int seconds, Part part,
			@Nullable InetSocketAddress listen, @Nullable URI coordinator, Duration joinTimeout) {
	}

	LoadExperiment(Run run, Settings settings) {
		// Kafka and PostgreSQL are not needed and not started.
		super(NAME, run, Infrastructure.EMBEDDED);
		this.settings = settings;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		try (TargetSystem system = TargetSystem.open(this.settings.target())) {
			if (this.settings.coordinator() != null) {
				takePart(this.settings.coordinator(), system);
			}
			else if (this.settings.listen() != null) {
				coordinate(this.settings.listen(), system);
			}
			else {
				this.reports.add(send(plan(System.nanoTime()), new Participant.Clock(0, 0), system));
			}
		}
		keepHistograms();
	}

	private Plan plan(long nowNanos) {
		return new Plan(this.settings.requestsPerSecond(), this.settings.seconds(), this.settings.mode(),
				OrderRequests.unused(NAME), nowNanos + WARM_UP.plus(LEAD).toNanos());
	}

	private void coordinate(InetSocketAddress listen, TargetSystem system) throws InterruptedException {
		int parts = this.settings.part().of();
		try (Coordinator coordinator = new Coordinator(listen, parts, this.settings.joinTimeout(), this::plan)) {
			progress().step(
					"Listening at %s; waiting for %d other parts to join".formatted(coordinator.address(), parts - 1));
			Plan together = coordinator.join(this.settings.part().number());
			coordinator.report(send(together, new Participant.Clock(0, 0), system));
			progress().step("Waiting for the other parts to report");
			this.reports.addAll(coordinator.reports(Plan.PATIENCE.plus(REPORT_TIMEOUT)));
			if (this.reports.size() < parts) {
				throw new LabException("Of %d parts, these have not reported: %s".formatted(parts,
						coordinator.without(this.reports.stream().map(PartReport::part).toList())));
			}
		}
	}

	private void takePart(URI coordinator, TargetSystem system) throws InterruptedException {
		try (Participant participant = new Participant(coordinator, this.settings.part())) {
			progress().step("Joining the load of %s".formatted(coordinator));
			Plan together = participant.join(this.settings.joinTimeout());
			PartReport report = send(together, participant.clock(), system);
			this.reports.add(report);
			participant.report(report);
		}
	}

	private PartReport send(Plan together, Participant.Clock clock, TargetSystem system) throws InterruptedException {
		this.plan = together;
		Part part = this.settings.part();
		try (OpenClient client = new OpenClient(CallMode.ASYNC, null, system.tls())) {
			progress().step("Warming up for %d s".formatted(WARM_UP.toSeconds()));
			answered(client.run(together.share(part, WARM_UP, LEAD.dividedBy(2)), requests(together, "-warm", system),
					(_) -> {
					}));
			progress().step("%s, %s, %,.0f/s of %,.0f/s for %d s".formatted(part, together.mode(),
					together.requestsPerSecond() / part.of(), together.requestsPerSecond(), together.seconds()));
			long start = together.startNanos(part) - clock.offsetNanos();
			if (System.nanoTime() - start > 0) {
				throw new LabException("The load has begun without %s: it was not warm in time".formatted(part));
			}
			Figures figures = answered(client.run(together.share(part, together.duration(), Plan.PATIENCE), start,
					requests(together, "", system), (second) -> {
						out().println(StatusLine.of(Instant.now(), second));
						out().flush();
					}));
			return PartReport.of(part, figures, clock.errorNanos() / 1_000);
		}
	}

	private static Figures answered(Figures figures) {
		if (figures.tally().sent() > 0 && figures.tally().answered() == 0) {
			throw new LabException("The target does not answer: %s".formatted(figures.tally().failures()));
		}
		return figures;
	}

	/** Requests to each gateway in turn. */
	private IntFunction<HttpRequest> requests(Plan together, String suffix, TargetSystem system) {
		String prefix = "%s-%d%s".formatted(together.prefix(), this.settings.part().number(), suffix);
		List<OrderRequests> gateways = this.settings.target()
			.gateways()
			.values()
			.stream()
			.map((gateway) -> new OrderRequests(gateway, together.mode(), prefix, system.authorization()))
			.toList();
		return (number) -> gateways.get(number % gateways.size()).apply(number);
	}

	/** Writes a log that the tools for HdrHistogram read, with a tag for each part. */
	private void keepHistograms() throws IOException {
		try (OutputStream out = Files.newOutputStream(directory().path().resolve("latencies.hlog"))) {
			HistogramLogWriter log = new HistogramLogWriter(out);
			log.outputComment("[Latencies since due, in microseconds, of each part]");
			log.outputLogFormatVersion();
			log.outputLegend();
			for (PartReport each : this.reports) {
				Histogram histogram = each.latencyHistogram();
				histogram.setTag("part-" + each.part());
				log.outputIntervalHistogram(0, (this.plan != null) ? this.plan.seconds() : 0, histogram, 1_000);
			}
		}
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		if (this.reports.isEmpty() || this.plan == null) {
			return new ClientResult(List.of());
		}
		Plan together = this.plan;
		List<ClientResult.Run> runs = new ArrayList<>();
		if (this.reports.size() > 1) {
			runs.add(run("%d parts together".formatted(this.reports.size()), together,
					together.requestsPerSecond() * this.reports.size() / this.settings.part().of(),
					PartReport.sum(this.reports)));
		}
		this.reports.forEach((report) -> runs.add(run(new Part(report.part(), this.settings.part().of()).toString(),
				together, together.requestsPerSecond() / this.settings.part().of(), report)));
		return new ClientResult(runs);
	}

	private ClientResult.Run run(String name, Plan together, double requestsPerSecond, PartReport report) {
		return new ClientResult.Run("%s, %s".formatted(together.mode(), name), CallMode.ASYNC.label(), null,
				String.join(", ", this.settings.target().gateways().values().stream().map(URI::toString).toList()),
				requestsPerSecond, together.duration().toMillis(), report.tally(), report.latency(), report.lag(),
				report.cpuMillisPerRequest(), null, report.seconds(), null, null);
	}

	@Override
	protected String summary(RunResult result) {
		return (result.finding() instanceof ClientResult client) ? "%n".formatted() + ClientText.of(client) : "";
	}

	@Override
	protected Set<Module> modules() {
		return Set.of();
	}

	@Override
	protected List<Check> checks() {
		return List.of(this.settings.target().check());
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>(this.settings.target().notes());
		configuration.put("load", "open model: requests are due by the coordinator's clock, to each part in turn;"
				+ " latency counts from then");
		configuration.put("percentiles", "of histograms with three significant digits");
		configuration.put("after the last request", "waited %d s for answers".formatted(Plan.PATIENCE.toSeconds()));
		configuration.put("warm-up", "%d s of the same load; not counted".formatted(WARM_UP.toSeconds()));
		configuration.put("clocks",
				"within %,d µs of the coordinator's, by the quickest of %d exchanges".formatted(
						this.reports.stream().mapToLong(PartReport::clockErrorMicros).max().orElse(0),
						Participant.CLOCK_SAMPLES));
		return configuration;
	}

}
