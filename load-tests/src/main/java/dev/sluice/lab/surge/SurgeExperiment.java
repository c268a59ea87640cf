package dev.sluice.lab.surge;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.client.Connections;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.Figures;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.client.OpenClient.Step;
import dev.sluice.lab.kit.client.OrderRequests;
import dev.sluice.lab.kit.measure.GzipCsv;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.process.ProcessGroup;
import dev.sluice.lab.kit.process.ProcessSampler;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.SurgeResult;
import dev.sluice.lab.kit.result.SurgeResult.Part;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.kit.statistics.Window;
import org.jspecify.annotations.Nullable;

import static dev.sluice.lab.kit.page.Figures.count;

/**
 * Shows second by second what clients see of a gateway from the moment it is ready, and
 * while more orders are due than it can take. Each run has services of its own: Kafka,
 * PostgreSQL, the backend and one gateway. No consumer takes part in the load.
 */
final class SurgeExperiment extends Experiment {

	static final String NAME = "surge";

	/** A client gives up, and the order counts as failed. */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration OPENING = Duration.ofSeconds(60);

	private final Settings settings;

	private final List<SurgeResult.Run> runs = new ArrayList<>();

	/**
	 * The chosen settings.
	 *
	 * @param repetitions of each variant and mode, by turns
	 * @param keyed whether each order has an idempotency key
	 * @param heapMegabytes of the gateway
	 * @param ownWarmUpSeconds {@code sluice.warm-up}
	 */
	record Settings(List<Variant> variants, List<Mode> modes, int repetitions, int connections, boolean keyed,
			int heapMegabytes, int ownWarmUpSeconds, List<Step> steps) {
	}

	SurgeExperiment(Run run, Infrastructure infrastructure, Settings settings) {
		super(NAME, run, infrastructure);
		this.settings = settings;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		for (int repetition = 1; repetition <= this.settings.repetitions(); repetition++) {
			for (Mode mode : this.settings.modes()) {
				for (Variant variant : this.settings.variants()) {
					measure(variant, mode, repetition);
				}
			}
		}
	}

	private void measure(Variant variant, Mode mode, int repetition) throws IOException, InterruptedException {
		String name = "%s-%s-%s".formatted(variant, mode, repetition);
		try (Stack stack = stack(); HttpClient client = Http.client(TIMEOUT)) {
			progress().step("%s, %s: starting".formatted(variant, mode));
			Stack.inParallel(List.of(stack::startInfrastructure, () -> {
				new BackendControl(client, stack.startBackend(ServiceOptions.NONE).uri())
					.behave(BackendModel.WORKERS.behaviour());
				return null;
			}));
			// Keys and statuses need the table that it creates.
			stack.startConsumer(ServiceOptions.NONE).close();
			long begun = System.nanoTime();
			Service gateway = stack.startGateway(variant, gateway(name));
			double readyMillis = (System.nanoTime() - begun) / 1e6;
			Map<String, ProcessGroup> processes = stack.processes();
			processes.remove(gateway.name());
			processes.put(SurgeEvaluation.GATEWAY, ProcessGroup.of(gateway.pid()));
			try (ProcessSampler sampler = new ProcessSampler(processes, directory().path().resolve(name + ".csv"));
					Connections connections = new Connections(gateway.uri(),
							Limits.keeping(this.settings.connections(), TIMEOUT))) {
				connections.open(Patience.of(OPENING));
				Figures figures = send(connections, gateway.uri(), mode, "%s, %s".formatted(variant, mode));
				write(name, figures.requests());
				this.runs.add(run(variant, mode, repetition, readyMillis,
						gateway.isAlive() ? null : "it died: %s has its last words".formatted(gateway.logFile()),
						figures, sampler.samples()));
			}
		}
	}

	private ServiceOptions gateway(String name) {
		String heap = this.settings.heapMegabytes() + "m";
		return ServiceOptions.NONE.withJvmArgs("-Xms" + heap, "-Xmx" + heap)
			.withProperty(ServiceOptions.WARM_UP, this.settings.ownWarmUpSeconds() + "s")
			// The default: without, sync orders hold all platform threads, and each
			// waits for one for longer than its client.
			.withProperty("sluice.reserved-threads-percent", 20)
			.withLog(name);
	}

	private Figures send(Connections connections, URI gateway, Mode mode, String what) throws InterruptedException {
		OrderRequests orders = new OrderRequests(gateway, mode,
				this.settings.keyed() ? OrderRequests.unused(NAME) : null, null);
		List<Step> steps = this.settings.steps();
		long all = steps.stream().mapToLong(Step::requests).sum();
		return OpenClient.run(new OpenLoad(steps, TIMEOUT, this.settings.connections()),
				(number, reply) -> connections.send(orders.bytes(number), reply),
				(second) -> progress().during("%s: %s of %s orders".formatted(what, count(second.sent()), count(all))));
	}

	private SurgeResult.Run run(Variant variant, Mode mode, int repetition, double readyMillis, @Nullable String ended,
			Figures figures, ProcessSamples samples) {
		SurgeEvaluation evaluation = new SurgeEvaluation(this.settings.steps(), figures.requests(), samples);
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
		return Map.of("connections", Integer.toString(this.settings.connections()), "gateway's heap",
				this.settings.heapMegabytes() + " MB", "gateway's own warm-up", this.settings.ownWarmUpSeconds() + " s",
				"a client gives up after", TIMEOUT.toSeconds() + " s", "backend", BackendModel.WORKERS.limits());
	}

}
