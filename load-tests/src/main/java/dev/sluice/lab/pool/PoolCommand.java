package dev.sluice.lab.pool;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.ReportWriter;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.pool.ConnectionPool.Limits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lab pool}. */
@Command(name = "pool",
		description = "Sends messages through a queue and a dispatcher to a backend that accepts a few new connections a"
				+ " second, or into PostgreSQL, first over new connections, then over kept ones. Or, in parts: --serve a"
				+ " dispatcher, and from other terminals --produce, --status, --concurrency.")
public final class PoolCommand extends ExperimentCommand {

	private static final Duration WHOLE = Duration.ofMinutes(5);

	private static final Duration QUICK = Duration.ofSeconds(50);

	private static final Duration STATUS_EVERY = Duration.ofSeconds(10);

	@ArgGroup
	private @Nullable Part part;

	@Option(names = "--messages", paramLabel = "N", defaultValue = "8",
			description = "Messages produced together. Default: ${DEFAULT-VALUE}.")
	private int messages = 8;

	@Option(names = "--interval", paramLabel = "MILLIS", defaultValue = "1000",
			description = "Time between two productions, in ms. Default: ${DEFAULT-VALUE}.")
	private long intervalMillis = 1_000;

	@Option(names = "--in-flight", paramLabel = "N", defaultValue = "100",
			description = "Maximum number of messages in flight at the start. Default: ${DEFAULT-VALUE}.")
	private int inFlight = 100;

	@Option(names = "--sink", paramLabel = "SINK", defaultValue = "http",
			description = "Where messages go: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
	private PoolResult.Sink sink = PoolResult.Sink.HTTP;

	@Option(names = "--new-connections", paramLabel = "N", defaultValue = "5",
			description = "New connections that the backend accepts per second; 0 is no limit. Not used with PostgreSQL. Default: ${DEFAULT-VALUE}.")
	private int newConnections = 5;

	@Option(names = "--delay", paramLabel = "MILLIS", defaultValue = "100",
			description = "Time that the backend takes for a message, in ms. Not used with PostgreSQL. Default: ${DEFAULT-VALUE}.")
	private long delayMillis = 100;

	@Option(names = "--no-keep-alive", description = "With --serve: a new connection for each message.")
	private boolean newEach;

	@Option(names = "--port", paramLabel = "PORT", defaultValue = "" + PoolServer.PORT,
			description = "Port of the dispatcher; 0 chooses a free one. Default: ${DEFAULT-VALUE}.")
	private int port = PoolServer.PORT;

	public PoolCommand(ReportWriter report) {
		super(report);
	}

	/** At most one of them. */
	private static final class Part {

		@Option(names = "--quick", required = true, description = "Each case takes 50 s instead of five minutes.")
		private boolean quick;

		@Option(names = "--serve", required = true, paramLabel = "URI",
				description = "Runs a dispatcher that GETs this for each message, until it is interrupted. With a"
						+ " jdbc:postgresql URI it writes a row for each.")
		private @Nullable URI serve;

		@Option(names = "--produce", required = true, description = "Produces messages for the running dispatcher.")
		private boolean produce;

		@Option(names = "--status", required = true, description = "Shows the dispatcher's status every 10 s.")
		private boolean status;

		@Option(names = "--concurrency", required = true, paramLabel = "N",
				description = "Sets the dispatcher's maximum number of messages in flight.")
		private @Nullable Integer concurrency;

	}

	@Override
	public Integer call() throws IOException {
		if (this.port < 0 || this.port > Ports.MAX) {
			throw usage("--port: 0 to %,d".formatted(Ports.MAX));
		}
		if (this.messages < 1 || this.messages > PoolServer.MAX_MESSAGES || this.intervalMillis < 1 || this.inFlight < 1
				|| this.inFlight > PoolServer.MAX_CONCURRENCY || this.newConnections < 0 || this.delayMillis < 0) {
			throw usage("--messages and --in-flight: 1 to 10,000; --interval: at least 1; the others: at least 0");
		}
		Part chosen = (this.part != null) ? this.part : new Part();
		if (chosen.serve != null) {
			return serve(chosen.serve);
		}
		if (chosen.produce || chosen.status || chosen.concurrency != null) {
			return ask(chosen);
		}
		return measure(chosen.quick ? QUICK : WHOLE);
	}

	private int measure(Duration duration) {
		PoolExperiment.Settings settings = new PoolExperiment.Settings(this.sink, this.messages,
				Duration.ofMillis(this.intervalMillis), this.inFlight, this.newConnections, this.delayMillis, duration);
		return run(PoolExperiment.NAME, commandLine(), (run) -> new PoolExperiment(run, settings));
	}

	private int serve(URI target) throws IOException {
		Link.Opener opener = opener(target);
		Ports.requireFree(this.port, "--port of the dispatcher");
		PrintWriter stdout = stdout();
		Dispatcher dispatcher = new Dispatcher(new ConnectionPool(opener, this.newEach ? Limits.NEW : Limits.KEPT),
				this.inFlight);
		// An interrupt is its normal end.
		try (Interruption _ = new Interruption(0); PoolServer server = new PoolServer(dispatcher, this.port)) {
			stdout.println("Dispatching to %s; status at http://127.0.0.1:%d/status. Ctrl-C stops it.".formatted(target,
					server.port()));
			stdout.flush();
			Thread.sleep(Duration.ofDays(365));
		}
		catch (InterruptedException _) {
			// Stopped.
		}
		return 0;
	}

	private Link.Opener opener(URI target) {
		if ("jdbc".equals(target.getScheme())) {
			try {
				return PostgresLink.to(target.toString());
			}
			catch (IOException ex) {
				throw new LabException("%s does not answer: %s".formatted(target, ex.getMessage()), ex);
			}
		}
		if (!"http".equals(target.getScheme()) || target.getHost() == null || target.getPort() < 0
				|| target.getPort() > Ports.MAX || target.getRawPath().isEmpty()) {
			throw usage(
					"--serve needs a URI like http://127.0.0.1:8090/100 or jdbc:postgresql://127.0.0.1:5432/sluice");
		}
		return HttpLink.to(target);
	}

	private int ask(Part chosen) {
		PrintWriter stdout = stdout();
		try (Interruption _ = new Interruption(0); HttpClient http = Http.client(Duration.ofSeconds(5))) {
			PoolClient client = new PoolClient(http, URI.create("http://127.0.0.1:" + this.port));
			if (chosen.concurrency != null) {
				stdout.print(StatusText.of(client.concurrency(chosen.concurrency)));
				stdout.flush();
			}
			else if (chosen.produce) {
				client.produce(this.messages, Duration.ofMillis(this.intervalMillis), stdout);
			}
			else {
				while (true) {
					stdout.print(StatusText.of(client.status()));
					stdout.flush();
					Thread.sleep(STATUS_EVERY);
				}
			}
		}
		catch (InterruptedException _) {
			// Stopped.
		}
		return 0;
	}

}
