package dev.sluice.lab.kit.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import dev.sluice.devservices.JavaCommand;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.load.OrderSupply.Counts;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.StackOptions;

/**
 * The lab's side of a {@link LoadGenerator}: a process of its own, because its garbage
 * must not burden the lab. The caller closes it. Not thread-safe.
 */
public final class GeneratorProcess implements AutoCloseable {

	private static final String HEAP = "-Xmx512m";

	/**
	 * Without this, Gatling logs each step of each request, which costs more than sending
	 * it.
	 */
	private static final String LOGGING = "-Dlogback.configurationFile=lab-logback.xml";

	/** Without Gatling's own log, because a simulation notes its calls. */
	private static final String CONFIGURATION = "-Dgatling.conf.file=lab-gatling.conf";

	private static final int POLL_MILLIS = 200;

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

	private final JavaProcess process;

	private final Socket connection;

	private final BufferedReader in;

	private final PrintWriter out;

	private GeneratorProcess(JavaProcess process, Socket connection) throws IOException {
		this.process = process;
		this.connection = connection;
		this.connection.setSoTimeout(Math.toIntExact(Patience.of(ANSWER_TIMEOUT).toMillis()));
		this.in = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
		this.out = new PrintWriter(connection.getOutputStream(), true, StandardCharsets.UTF_8);
	}

	/**
	 * Starts a load generator.
	 * @param logFile where the process's output goes
	 * @throws LabException if it does not start
	 * @throws InterruptedException if this thread is interrupted
	 */
	public static GeneratorProcess start(Path logFile) throws IOException, InterruptedException {
		try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			JavaProcess process = JavaCommand.mainClass(LoadGenerator.class.getName())
				.name("load generator")
				.jvmArgs("--add-opens=java.base/java.lang=ALL-UNNAMED", HEAP, "-XX:+UseParallelGC", LOGGING,
						CONFIGURATION)
				.jvmArgs(StackOptions.COMPILERS)
				.args(Integer.toString(port.getLocalPort()))
				.logFile(logFile)
				.launch();
			try {
				return new GeneratorProcess(process, accept(port, process));
			}
			catch (IOException | InterruptedException | RuntimeException ex) {
				process.close();
				throw ex;
			}
		}
	}

	private static Socket accept(ServerSocket port, JavaProcess process) throws IOException, InterruptedException {
		port.setSoTimeout(POLL_MILLIS);
		long deadline = System.nanoTime() + Patience.of(START_TIMEOUT).toNanos();
		while (process.isAlive() && System.nanoTime() - deadline < 0) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			try {
				return port.accept();
			}
			catch (SocketTimeoutException _) {
				// Looks whether it is still alive.
			}
		}
		throw new LabException(
				"the load generator does not start; its output ends with:%n%s".formatted(process.tail()));
	}

	public long pid() {
		return this.process.pid();
	}

	/** Starts a simulation; the one before must have ended. */
	void run(LoadParameters parameters) {
		parameters.properties().forEach((key, value) -> this.out.println(key + "=" + value));
		this.out.println("run");
	}

	/** Lets the simulation place no more orders. */
	void stop() {
		this.out.println("stop");
	}

	/**
	 * How far the simulation is.
	 * @throws LabException if it failed, or the process does not answer
	 */
	Progress progress() {
		String answer;
		try {
			this.out.println("progress");
			answer = this.in.readLine();
		}
		catch (IOException _) {
			answer = null;
		}
		String[] fields = (answer != null) ? answer.split(" ", 4) : new String[] { "no answer" };
		String state = fields[fields.length - 1];
		if (!state.equals(LoadGenerator.RUNNING) && !state.equals(LoadGenerator.ENDED)) {
			throw new LabException("the load generator ended before its orders did (%s); its output ends with:%n%s"
				.formatted(state, this.process.tail()));
		}
		return new Progress(
				new Counts(Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), Integer.parseInt(fields[2])),
				state.equals(LoadGenerator.ENDED));
	}

	/**
	 * How far a simulation is.
	 *
	 * @param counts what became of its orders until now
	 * @param ended whether it has ended, and its notes are written
	 */
	record Progress(Counts counts, boolean ended) {
	}

	@Override
	public void close() {
		try {
			this.connection.close();
		}
		catch (IOException _) {
			// The process is ended anyway.
		}
		this.process.close();
	}

}
