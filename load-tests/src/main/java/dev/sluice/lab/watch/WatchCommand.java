package dev.sluice.lab.watch;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code lab watch}: serves a page that shows a running system, until it is interrupted.
 */
@Command(name = "watch", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Serves a page on this machine that shows a running system live: rates, p99, orders in the system,"
				+ " circuit breakers, and CPU, heap, GC pauses and threads of each service, from their Prometheus endpoints.",
		footer = { "",
				"Without --target: the services of './lab up'. A service that is down is shown as such and comes back by"
						+ " itself. The figures as JSON: /moments." })
public final class WatchCommand implements Callable<Integer> {

	private static final int MAX_OFFSET = 50_000;

	private static final int MAX_TARGETS = 20;

	/** Time limit for sending a request, and for reading its answer. */
	private static final String MAX_SECONDS = "10";

	@Option(names = "--port", paramLabel = "PORT", defaultValue = "" + WatchServer.PORT,
			description = "Port of the page; 0 chooses a free one. Default: ${DEFAULT-VALUE}.")
	private int port = WatchServer.PORT;

	@Option(names = "--port-offset", paramLabel = "N", defaultValue = "0",
			description = "The --port-offset of 'lab up'. Default: ${DEFAULT-VALUE}.")
	private int portOffset;

	@Option(names = "--target", paramLabel = "NAME=URI",
			description = "A service to watch instead, such as gateway=http://127.0.0.1:8080; repeatable.")
	private List<String> targets = List.of();

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	@Override
	public Integer call() throws IOException {
		if (this.port < 0 || this.port > Ports.MAX) {
			throw usage("--port: 0 to %,d".formatted(Ports.MAX));
		}
		if (this.portOffset < 0 || this.portOffset > MAX_OFFSET) {
			throw usage("--port-offset: 0 to %,d".formatted(MAX_OFFSET));
		}
		List<Target> chosen = targets();
		// Makes the JDK's HTTP server of this process cut off slower clients.
		System.setProperty("sun.net.httpserver.maxReqTime", MAX_SECONDS);
		System.setProperty("sun.net.httpserver.maxRspTime", MAX_SECONDS);
		History history = new History();
		// An interrupt is its normal end.
		try (Interruption _ = new Interruption(0);
				WatchServer server = serve(history);
				Watch _ = new Watch(chosen, history, InstantSource.system())) {
			PrintWriter out = this.spec.commandLine().getOut();
			chosen.forEach((target) -> out.printf("%-18s %s%n", target.name(), target.uri()));
			out.printf("%nOpen http://127.0.0.1:%d/ . Ctrl-C stops it.%n", server.port());
			out.flush();
			Thread.sleep(Duration.ofDays(365));
		}
		catch (InterruptedException _) {
			// Stopped.
		}
		return 0;
	}

	private WatchServer serve(History history) throws IOException {
		try {
			return new WatchServer(history::after, WatchPage.html(), InstantSource.system().millis(), this.port);
		}
		catch (BindException ex) {
			throw new LabException("port %d is taken%s: choose another with --port".formatted(this.port,
					Ports.holder(this.port).map((process) -> " by process " + process.pid()).orElse("")), ex);
		}
	}

	private List<Target> targets() {
		if (this.targets.isEmpty()) {
			return Stream
				.of(Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE, Module.CONSUMER, Module.BACKEND, Module.SINK)
				.map((module) -> new Target(module.directory(),
						URI.create("http://127.0.0.1:%d".formatted(module.managementPort() + this.portOffset))))
				.toList();
		}
		try {
			List<Target> chosen = this.targets.stream().map(Target::of).toList();
			if (chosen.stream().map(Target::name).distinct().count() < chosen.size() || chosen.size() > MAX_TARGETS) {
				throw usage("--target: at most %d, each with a name of its own".formatted(MAX_TARGETS));
			}
			return chosen;
		}
		catch (IllegalArgumentException ex) {
			throw usage("--target: " + ex.getMessage());
		}
	}

	private ParameterException usage(String message) {
		return new ParameterException(this.spec.commandLine(), message);
	}

}
