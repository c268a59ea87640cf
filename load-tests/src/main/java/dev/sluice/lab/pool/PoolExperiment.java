package dev.sluice.lab.pool;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Case;
import dev.sluice.lab.kit.result.PoolResult.Status;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.EnvironmentProbe;
import dev.sluice.lab.kit.run.Measurement;
import dev.sluice.lab.kit.run.Measurement.Course;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Workspace;
import dev.sluice.lab.pool.ConnectionPool.Limits;

/**
 * The same messages over new connections and then over kept ones: to a backend that lets
 * in a few new connections a second, as the address translation did that the seed ran
 * into, or into PostgreSQL.
 */
final class PoolExperiment {

	static final String NAME = "pool";

	private static final Duration STATUS_EVERY = Duration.ofSeconds(10);

	private final Settings settings;

	private final RunDirectory directory;

	private final PrintWriter out;

	private final Progress progress;

	private final List<Case> cases = new ArrayList<>();

	/**
	 * What is chosen.
	 *
	 * @param command the command line
	 * @param sink where messages go
	 * @param messages produced at once
	 * @param interval between two productions
	 * @param concurrency messages in flight at most
	 * @param newConnectionsPerSecond that the backend lets in; PostgreSQL has no such
	 * limit
	 * @param backendMillis that the backend takes for a message; PostgreSQL takes what it
	 * takes
	 * @param duration of each case
	 */
	record Settings(String command, PoolResult.Sink sink, int messages, Duration interval, int concurrency,
			int newConnectionsPerSecond, long backendMillis, Duration duration) {
	}

	PoolExperiment(Settings settings, RunDirectory directory, PrintWriter out, Progress progress) {
		this.settings = settings;
		this.directory = directory;
		this.out = out;
		this.progress = progress;
	}

	/**
	 * Runs it. What goes wrong under way makes the result partial.
	 * @throws IOException if files cannot be written
	 */
	RunResult run(Interruption interruption) throws IOException {
		return new Measurement(NAME, this.settings.command(), this.directory, this.progress, interruption)
			.run(this::measure, this::result);
	}

	private void measure() throws IOException, InterruptedException {
		// Nothing here needs Kafka, and it is not started.
		try (Stack stack = Stack.builder()
			.infrastructure(Infrastructure.EMBEDDED)
			.directory(this.directory.directory("logs"))
			.build(); HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
			Link.Opener target = switch (this.settings.sink()) {
				case HTTP -> backend(stack, http);
				case POSTGRES -> postgres(stack);
			};
			run("new", "a new connection for each message", new ConnectionPool(target, Limits.NEW));
			run("kept", words(Limits.KEPT), new ConnectionPool(target, Limits.KEPT));
		}
	}

	private RunResult result(Course course) throws IOException {
		Workspace workspace = Workspace.find();
		return RunResult.of(NAME, this.settings.command(), course.startedAt(), course.finishedAt(), course.partial(),
				EnvironmentProbe.probe(workspace.root(), List.of(workspace.jar(Module.BACKEND)),
						Infrastructure.EMBEDDED),
				configuration(),
				new PoolResult(this.settings.sink(), this.settings.messages(), this.settings.interval().toMillis(),
						this.settings.backendMillis(), this.settings.newConnectionsPerSecond(), this.cases));
	}

	private Link.Opener backend(Stack stack, HttpClient http) throws InterruptedException {
		stack.prepare(Set.of(Module.BACKEND), this.progress::step);
		this.progress.step("Starting the backend");
		URI backend = stack.startBackend(ServiceOptions.NONE).uri();
		// Before the cap: this connection is not counted by it.
		new BackendControl(http, backend).behave(capped());
		return HttpLink.to(backend.resolve("/" + this.settings.backendMillis()));
	}

	private Link.Opener postgres(Stack stack) throws IOException {
		this.progress.step("Starting PostgreSQL");
		return PostgresLink.to(stack.infrastructure().postgres().jdbcUrl());
	}

	private BackendBehaviour capped() {
		BackendBehaviour usual = BackendBehaviour.DEFAULT;
		return new BackendBehaviour(usual.delay(), usual.cpuMicros(), 0, usual.errorStatus(), 0, 0,
				this.settings.newConnectionsPerSecond(), usual.capacity());
	}

	private static String words(Limits limits) {
		return "at most %d connections, %d kept unused for %d s, answers within %d s".formatted(limits.most(),
				limits.mostFree(), limits.freeMillis() / 1_000, limits.answerMillis() / 1_000);
	}

	private void run(String name, String connections, ConnectionPool pool) throws InterruptedException {
		this.progress.step("%s: produce %d messages every %dms with %d concurrency".formatted(connections,
				this.settings.messages(), this.settings.interval().toMillis(), this.settings.concurrency()));
		List<Status> statuses = new ArrayList<>();
		try (Dispatcher dispatcher = new Dispatcher(pool, this.settings.concurrency())) {
			long start = System.nanoTime();
			long productions = Math.ceilDiv(this.settings.duration().toMillis(), this.settings.interval().toMillis());
			Thread producer = Thread.ofVirtual().name("producer").start(() -> produce(dispatcher, start, productions));
			try {
				for (Duration at = STATUS_EVERY; at.compareTo(this.settings.duration()) <= 0; at = at
					.plus(STATUS_EVERY)) {
					Thread.sleep(Duration.ofNanos(Math.max(0, start + at.toNanos() - System.nanoTime())));
					Status status = dispatcher.status(at.toMillis() / 1_000.0);
					statuses.add(status);
					this.out.print(StatusText.of(status));
					this.out.flush();
				}
			}
			finally {
				producer.interrupt();
				producer.join();
				this.cases.add(new Case(name, connections, statuses));
			}
		}
	}

	private void produce(Dispatcher dispatcher, long start, long productions) {
		try {
			for (long i = 0; i < productions; i++) {
				long due = start + i * this.settings.interval().toNanos();
				Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
				dispatcher.produce(this.settings.messages());
			}
		}
		catch (InterruptedException _) {
			// The case has ended.
		}
	}

	private Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("load", "%d messages every %d ms, by the clock".formatted(this.settings.messages(),
				this.settings.interval().toMillis()));
		configuration.put("concurrency", "%d messages in flight at most".formatted(this.settings.concurrency()));
		configuration.put("queue", "%,d messages at most, beyond refused".formatted(Dispatcher.MOST_QUEUED));
		configuration.put("attempts", "%d of each message, after 0.5 s to 4 s".formatted(Dispatcher.ATTEMPTS));
		configuration.put("sink", switch (this.settings.sink()) {
			case HTTP -> "backend-mock: %d ms a message, %s".formatted(this.settings.backendMillis(),
					(this.settings.newConnectionsPerSecond() == 0) ? "any number of new connections"
							: "%d new connections a second, beyond closed at once"
								.formatted(this.settings.newConnectionsPerSecond()));
			case POSTGRES -> "PostgreSQL: a row a message, committed to the disk; 200 connections at most";
		});
		configuration.put("latency",
				"from when a message was produced until it is written, attempts included; of the last %,d"
					.formatted(Dispatcher.MOST_TIMED));
		return configuration;
	}

}
