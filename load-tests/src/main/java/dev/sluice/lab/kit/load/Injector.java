package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.plan.LoadPlan;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The load generator: Gatling in a process of its own, because its main method ends the
 * JVM, and its garbage must not burden the lab. The caller closes it. Not thread-safe.
 */
final class Injector implements AutoCloseable {

	private static final String SIMULATION = "dev.sluice.lab.kit.load.OrdersSimulation";

	private static final String HEAP = "-Xmx512m";

	/**
	 * Without this, Gatling logs each step of each request, which costs more than sending
	 * it.
	 */
	private static final String LOGGING = "-Dlogback.configurationFile=lab-logback.xml";

	private final JsonMapper json;

	private final LoadPlan plan;

	private final Path directory;

	private final JavaProcess process;

	private Injector(JsonMapper json, LoadPlan plan, Path directory, JavaProcess process) {
		this.json = json;
		this.plan = plan;
		this.directory = directory;
		this.process = process;
	}

	/**
	 * Starts the load.
	 * @param plan what to do; its results directory must exist
	 * @param directory where the plan and Gatling's log go, created if missing
	 * @param logFile where the process's output goes
	 * @param pin the cores that it has for itself; null for none
	 * @throws IOException if the plan cannot be written
	 */
	static Injector start(JsonMapper json, LoadPlan plan, Path directory, Path logFile, @Nullable Pin pin)
			throws IOException {
		Path absolute = Files.createDirectories(directory).toAbsolutePath();
		Path file = absolute.resolve("plan.json");
		Files.write(file, json.writerWithDefaultPrettyPrinter().writeValueAsBytes(plan));
		JavaProcess process = JavaProcess.mainClass("io.gatling.app.Gatling")
			.name("load generator")
			.through((pin != null) ? pin.command() : List.of())
			.jvmArgs("--add-opens=java.base/java.lang=ALL-UNNAMED", HEAP, "-XX:+UseParallelGC", LOGGING,
					Patience.jvmArg(), "-Dsluice.plan=" + file, "-Dgatling.data.writers.0=file")
			.args("--simulation", SIMULATION, "--results-folder", absolute.toString(), "--no-reports")
			.logFile(logFile)
			.launch();
		return new Injector(json, plan, absolute, process);
	}

	long pid() {
		return this.process.pid();
	}

	/**
	 * Waits for the end of the load.
	 * @return false if it still runs after that time
	 * @throws InterruptedException if this thread is interrupted
	 */
	boolean await(long millis) throws InterruptedException {
		try {
			this.process.handle().onExit().get(millis, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException _) {
			return false;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("The end of the load generator cannot be awaited", ex);
		}
	}

	/** The first phase that must leave an outcome and has not yet, if there is one. */
	Optional<Phase> current() {
		return this.plan.phases()
			.stream()
			.filter(Phase::writesOutcome)
			.filter((phase) -> !Files.exists(outcomeFile(phase)))
			.findFirst();
	}

	/**
	 * The outcomes of the phases that ended.
	 * @throws IOException if one cannot be read
	 */
	List<PhaseOutcome> outcomes() throws IOException {
		List<PhaseOutcome> outcomes = new ArrayList<>();
		for (Phase phase : this.plan.phases()) {
			if (phase.writesOutcome() && Files.exists(outcomeFile(phase))) {
				outcomes.add(this.json.readValue(Files.readString(outcomeFile(phase)), PhaseOutcome.class));
			}
		}
		return outcomes;
	}

	/**
	 * Gatling's log.
	 * @throws NoSuchFileException if it has written none
	 */
	Path gatlingLog() throws IOException {
		Path log = findGatlingLog();
		if (log == null) {
			throw new NoSuchFileException(this.directory + "/*/simulation.log");
		}
		return log;
	}

	/** Gatling's log; null if it has written none. */
	@Nullable Path findGatlingLog() throws IOException {
		try (DirectoryStream<Path> runs = Files.newDirectoryStream(this.directory, Files::isDirectory)) {
			for (Path run : runs) {
				Path log = run.resolve("simulation.log");
				if (Files.exists(log)) {
					return log;
				}
			}
		}
		return null;
	}

	/** The end of the process's output. */
	String tail() {
		return this.process.tail();
	}

	private Path outcomeFile(Phase phase) {
		return this.plan.results().resolve(phase.name() + ".json");
	}

	@Override
	public void close() {
		this.process.close();
	}

}
