package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;

import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.load.LoadGenerator.Progress;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.StackOptions;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lab's side of a {@link LoadGenerator}: a process of its own, because its garbage
 * must not burden the lab. The caller closes it.
 *
 * @param process the generator's
 * @param uri where it listens
 */
public record GeneratorProcess(JavaProcess process, URI uri) implements AutoCloseable {

	private static final String HEAP = "-Xmx512m";

	/**
	 * Without this, Gatling logs each step of each request, which costs more than sending
	 * it.
	 */
	private static final String LOGGING = "-Dlogback.configurationFile=lab-logback.xml";

	/** Without Gatling's own log, because a simulation notes its calls. */
	private static final String CONFIGURATION = "-Dgatling.conf.file=lab-gatling.conf";

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

	/**
	 * Starts a load generator.
	 * @param logFile where the process's output goes
	 * @throws dev.sluice.devservices.StartFailedException if it does not start
	 */
	public static GeneratorProcess start(Path logFile) {
		URI uri = URI.create("http://127.0.0.1:" + Ports.free());
		JavaProcess process = JavaProcess.mainClass(LoadGenerator.class.getName())
			.name("load generator")
			.jvmArgs("--add-opens=java.base/java.lang=ALL-UNNAMED", HEAP, "-XX:+UseParallelGC", LOGGING, CONFIGURATION)
			.jvmArgs(StackOptions.COMPILERS)
			.args(Integer.toString(uri.getPort()))
			.logFile(logFile)
			.readyWhen(uri, Patience.of(START_TIMEOUT))
			.launch()
			.awaitReady();
		return new GeneratorProcess(process, uri);
	}

	public long pid() {
		return this.process.pid();
	}

	/** Starts a simulation; the one before must have ended. */
	void run(LoadParameters parameters) {
		ask("/run", JsonMapper.shared().writeValueAsString(parameters));
	}

	/** Lets the simulation place no more orders. */
	void stop() {
		ask("/stop", "");
	}

	/**
	 * How far the simulation is.
	 * @throws LabException if it failed, or the process does not answer
	 */
	Progress progress() {
		return ask("/", "");
	}

	private Progress ask(String path, String body) {
		String why;
		try {
			Progress progress = JsonMapper.shared()
				.readValue(Http.CLIENT
					.send(HttpRequest.newBuilder(this.uri.resolve(path))
						.timeout(Patience.of(ANSWER_TIMEOUT))
						.POST(BodyPublishers.ofString(body))
						.build(), BodyHandlers.ofString())
					.body(), Progress.class);
			if (progress.failure() == null) {
				return progress;
			}
			why = progress.failure();
		}
		catch (IOException | JacksonException ex) {
			why = "no answer: " + ex;
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			why = "interrupted";
		}
		throw new LabException("the load generator ended before its orders did (%s); its output ends with:%n%s"
			.formatted(why, this.process.tail()));
	}

	@Override
	public void close() {
		this.process.close();
	}

}
