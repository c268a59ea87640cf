package dev.sluice.lab.surge;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.client.Connections;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.measure.GzipCsv;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Chart.Panel;
import dev.sluice.lab.kit.page.Chart.Span;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.SurgeResult;
import dev.sluice.lab.kit.result.SurgeResult.Part;
import dev.sluice.lab.kit.result.SurgeResult.Run;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

import static dev.sluice.lab.kit.page.Figures.count;

/**
 * {@code lab surge}: shows second by second what clients see of a gateway from the moment
 * it is ready, and while more orders are due than it can take. Each run has services of
 * its own: Kafka, PostgreSQL, the backend and one gateway. No consumer takes part in the
 * load.
 */
@Command(name = "surge",
		description = "Shows second by second what clients see of a gateway after its start and when the load surges.")
public final class SurgeExperiment extends Experiment {

	private static final int MAX_CONNECTIONS = 20_000;

	private static final int MIN_HEAP = 128;

	/** A client gives up, and the order counts as failed. */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration OPENING = Duration.ofSeconds(60);

	@Option(names = "--variants", split = ",", paramLabel = "VARIANT",
			description = "servlet-platform, servlet-virtual, servlet-async, reactive. Default: all.")
	private Set<Variant> variants = EnumSet.allOf(Variant.class);

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: queued.")
	private Set<Mode> modes = EnumSet.of(Mode.QUEUED);

	@Option(names = "--steps", split = ",", paramLabel = "RATE:SECONDS", defaultValue = "300:5,300:10,3000:30,300:15",
			converter = StepConverter.class,
			description = "The load: orders per second, and for how long; one step after another. Default: ${DEFAULT-VALUE}.")
	private List<Step> steps = List.of();

	@Option(names = "--connections", paramLabel = "COUNT", defaultValue = "2000",
			description = "Connections, opened before the load. Default: ${DEFAULT-VALUE}.")
	private int connections = 2_000;

	@Option(names = "--keys", description = "Gives each order an idempotency key.")
	private boolean keyed;

	@Option(names = "--heap", paramLabel = "MB", defaultValue = "384",
			description = "The gateway's heap in MB. Default: ${DEFAULT-VALUE}.")
	private int heapMegabytes = 384;

	@Option(names = "--own-warm-up", paramLabel = "SECONDS", defaultValue = "8",
			description = "How long the gateway warms up before it is ready; 0: not at all. Default: ${DEFAULT-VALUE}.")
	private int ownWarmUpSeconds = 8;

	@Option(names = "--repetitions", paramLabel = "COUNT", defaultValue = "1",
			description = "Starts of each variant and mode, by turns. Default: ${DEFAULT-VALUE}.")
	private int repetitions = 1;

	private final List<SurgeResult.Run> runs = new ArrayList<>();

	/** Reads {@code RATE:SECONDS}, of which neither is 0. */
	static final class StepConverter implements ITypeConverter<Step> {

		private static final Pattern STEP = Pattern.compile("(\\d{1,6}(?:\\.\\d{1,3})?):([1-9]\\d{0,4})");

		@Override
		public Step convert(String text) {
			Matcher step = STEP.matcher(text);
			if (!step.matches() || Double.parseDouble(step.group(1)) == 0) {
				throw new TypeConversionException("'%s' is not like 3000:30".formatted(text));
			}
			return new Step(Double.parseDouble(step.group(1)), Duration.ofSeconds(Long.parseLong(step.group(2))));
		}

	}

	@Override
	protected void check() {
		require(this.connections >= 1 && this.connections <= MAX_CONNECTIONS,
				"--connections: 1 to %s".formatted(MAX_CONNECTIONS));
		require(this.heapMegabytes >= MIN_HEAP, "--heap: at least %s MB".formatted(MIN_HEAP));
		require(this.repetitions >= 1, "--repetitions: at least 1");
		require(!this.keyed || !this.modes.contains(Mode.SYNC),
				"--keys: not with sync orders, whose keys no gateway can look up without a consumer");
		require(orders() >= 1 && orders() <= OpenClient.MAX_REQUESTS,
				"--steps: 1 to %s orders in all".formatted(OpenClient.MAX_REQUESTS));
	}

	/** The number of all orders. */
	private long orders() {
		return this.steps.stream().mapToLong(Step::requests).sum();
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		for (int repetition = 1; repetition <= this.repetitions; repetition++) {
			for (Mode mode : this.modes) {
				for (Variant variant : this.variants) {
					measure(variant, mode, repetition);
				}
			}
		}
	}

	private void measure(Variant variant, Mode mode, int repetition) throws IOException, InterruptedException {
		String name = "%s-%s-%s".formatted(variant, mode, repetition);
		try (Stack stack = stack()) {
			progress().step("%s, %s: starting".formatted(variant, mode));
			Stack.inParallel(List.of(stack::startInfrastructure, () -> stack.startBackend(ServiceOptions.NONE)));
			new BackendControl(stack.uri(Module.BACKEND)).behave(BackendModel.WORKERS.behaviour());
			// Keys and statuses need the table that it creates.
			stack.startConsumer(ServiceOptions.NONE).close();
			long begun = System.nanoTime();
			Service gateway = stack.startGateway(variant, gateway(name));
			double readyMillis = (System.nanoTime() - begun) / 1e6;
			Map<String, List<Long>> processes = stack.processes();
			processes.remove(gateway.name());
			processes.put(SurgeEvaluation.GATEWAY, List.of(gateway.pid()));
			try (ProcessSampler sampler = new ProcessSampler(processes, directory().path().resolve(name + ".csv"));
					Connections connections = new Connections(gateway.uri(),
							Limits.keeping(this.connections, TIMEOUT))) {
				connections.open(Patience.of(OPENING));
				OpenClient.Figures figures = send(connections, gateway.uri(), mode, "%s, %s".formatted(variant, mode));
				write(name, figures.requests());
				this.runs.add(run(variant, mode, repetition, readyMillis,
						gateway.isAlive() ? null
								: "it died: %s has its last words".formatted(gateway.process().logFile()),
						figures, sampler.samples()));
			}
		}
	}

	private ServiceOptions gateway(String name) {
		String heap = this.heapMegabytes + "m";
		return ServiceOptions.NONE.withJvmArgs("-Xms" + heap, "-Xmx" + heap)
			.withProperty(ServiceOptions.WARM_UP, this.ownWarmUpSeconds + "s")
			// The default: without, sync orders hold all platform threads, and each
			// waits for one for longer than its client.
			.withProperty("sluice.reserved-threads-percent", 20)
			.withLog(name);
	}

	private OpenClient.Figures send(Connections connections, URI gateway, Mode mode, String what)
			throws InterruptedException {
		OrderRequests orders = new OrderRequests(gateway, mode, this.keyed ? OrderRequests.unused(name()) : null, null);
		return OpenClient.run(new OpenLoad(this.steps, TIMEOUT, this.connections),
				(number, reply) -> connections.send(orders.bytes(number), reply), (second) -> progress()
					.during("%s: %s of %s orders".formatted(what, count(second.sent()), count(orders()))));
	}

	private SurgeResult.Run run(Variant variant, Mode mode, int repetition, double readyMillis, @Nullable String ended,
			OpenClient.Figures figures, ProcessSamples samples) {
		SurgeEvaluation evaluation = new SurgeEvaluation(this.steps, figures.requests(), samples);
		List<Part> seconds = evaluation.seconds();
		Instant start = figures.requests().start();
		Window window = new Window(start, start.plusSeconds(seconds.size()));
		return new SurgeResult.Run(variant.id(), mode, repetition, readyMillis, ended, figures.lag(),
				samples.foreignCpuShare(window, Runtime.getRuntime().availableProcessors()), evaluation.parts(),
				seconds);
	}

	/** Keeps what became of each order. */
	private void write(String name, Requests requests) throws IOException {
		Path file = directory().directory("requests").resolve(name + ".csv.gz");
		GzipCsv.write(file, "status,lag_micros,latency_micros",
				IntStream.range(0, requests.status().length).boxed().toList(), (i) -> "%s,%s,%s"
					.formatted(requests.status()[i], requests.lagMicros()[i], requests.latencyMicros()[i]));
	}

	@Override
	protected Finding finding() {
		return new SurgeResult(this.runs);
	}

	@Override
	protected Map<String, String> configuration() {
		return Map.of("connections", Integer.toString(this.connections), "gateway's heap", this.heapMegabytes + " MB",
				"gateway's own warm-up", this.ownWarmUpSeconds + " s", "a client gives up after",
				TIMEOUT.toSeconds() + " s", "backend", BackendModel.WORKERS.limits());
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(SurgeResult surge) {
		Section overview = new Section("surge", "What do clients see after a start and in a surge?");
		overview.answers(surge.runs().isEmpty() ? List.of("Nothing was sent.")
				: surge.runs().stream().map(SurgeExperiment::answer).toList());
		surge.runs().forEach((run) -> overview.shown(parts(run)));
		List<Section> sections = new ArrayList<>(List.of(overview));
		for (Run run : surge.runs()) {
			Section section = new Section("run-" + sections.size(), title(run));
			section.seconds(chart(run));
			sections.add(section);
		}
		return sections;
	}

	private static String title(Run run) {
		return "%s, run %s".formatted(run.name(), run.repetition());
	}

	private static boolean marked(Run run) {
		Timing lag = run.lag();
		return Reliability.marked((lag != null) ? lag.p99AtMost() : 0, run.foreignCpuShare());
	}

	private static String answer(Run run) {
		String parts = run.parts().stream().map((part) -> words(run, part)).collect(Collectors.joining("; "));
		return Reliability.sign("%s: ready after %s s; %s%s".formatted(title(run),
				Figures.measured(run.readyMillis() / 1_000), parts, (run.ended() != null) ? "; " + run.ended() : ""),
				marked(run));
	}

	private static String words(Run run, Part part) {
		Integer normalAfter = run.normalAfter(part);
		String normal = (normalAfter == null) ? ", not normal at its end"
				: (normalAfter == 0) ? "" : ", normal after %s s".formatted(normalAfter);
		Timing latency = part.latency();
		return "%s: %s accepted%s%s".formatted(load(part), Figures.percent(part.outcomes().acceptedShare()),
				(latency != null) ? ", p99 %s ms".formatted(Figures.measured(latency.p99AtMost())) : "", normal);
	}

	/** Its rate and length. */
	private static String load(Part part) {
		return "%s/s for %s s".formatted(Figures.measured((double) part.outcomes().due() / part.seconds()),
				part.seconds());
	}

	private static @Nullable Double cpuMillisPerAccepted(Part part) {
		int accepted = part.outcomes().accepted();
		return (part.cores() != null && accepted > 0) ? part.cores() * part.seconds() * 1_000 / accepted : null;
	}

	private static Table parts(Run run) {
		return Table.of(
				"%s. Normal: from then on each second accepted 99 %% or more of the orders due".formatted(title(run)),
				run.parts(),
				List.of(Column.words("Load", SurgeExperiment::load),
						Column.count("due", (part) -> part.outcomes().due()),
						Column.percent("accepted", (part) -> part.outcomes().acceptedShare()),
						Column.count("refused", (part) -> part.outcomes().refused()),
						Column.count("failed", (part) -> part.outcomes().failed()),
						Column.count("not sent", (part) -> part.outcomes().notSent()),
						Column.measured("p50, ms", Part::latency, Timing::p50),
						Column.measured("p99, ms", Part::latency, Timing::p99),
						Column.count("normal after, s", run::normalAfter),
						Column.measured("CPU ms per accepted", SurgeExperiment::cpuMillisPerAccepted),
						Column.bytes("peak RSS", Part::peakRssBytes)));
	}

	private static Chart.Seconds chart(Run run) {
		List<Part> seconds = run.seconds();
		List<Panel> panels = List.of(
				Panel.of("Accepted per second", 0, "area", seconds, (second) -> second.outcomes().accepted())
					.onAxis("orders"),
				Panel.of("Refused, failed or not sent", 1, "area", seconds, SurgeExperiment::lost).onAxis("orders"),
				Panel.of("p99 of the accepted, ms", 2, "line", seconds,
						(second) -> (second.latency() != null) ? Double.valueOf(second.latency().p99AtMost()) : null)
					.onLogarithmicAxis(),
				Panel.of("Cores used by the gateway", 3, "area", seconds, Part::cores));
		List<Span> spans = new ArrayList<>();
		for (Part part : run.parts()) {
			spans.add(new Span("load", load(part), spans.size() % 2, part.from() - 1, part.to()));
		}
		return new Chart.Seconds("Second by second", seconds.size(), panels, spans);
	}

	private static int lost(Part second) {
		return second.outcomes().due() - second.outcomes().accepted();
	}

}
