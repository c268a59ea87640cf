package dev.sluice.lab.watch;

import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.run.LabCommand;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code lab watch}: serves a page that shows a running system, until it is interrupted.
 */
@Command(name = "watch",
		description = "Serves a page on this machine that shows a running system live: rates, p99, orders in the system,"
				+ " circuit breakers, and CPU, heap, GC pauses and threads of each service, from their Prometheus endpoints.",
		footer = { "",
				"Without --target: the services of './lab up'. A service that is down is shown as such and comes back by"
						+ " itself. The figures as JSON: /moments." })
public final class WatchCommand extends LabCommand {

	private static final int MAX_OFFSET = 50_000;

	@Option(names = "--port", paramLabel = "PORT", defaultValue = "" + WatchServer.PORT,
			description = "Port of the page; 0 chooses a free one. Default: ${DEFAULT-VALUE}.")
	private int port = WatchServer.PORT;

	@Option(names = "--port-offset", paramLabel = "N", defaultValue = "0",
			description = "The --port-offset of 'lab up'. Default: ${DEFAULT-VALUE}.")
	private int portOffset;

	@Option(names = "--target", paramLabel = "NAME=URI",
			description = "A service to watch instead, such as gateway=http://127.0.0.1:8080; repeatable.")
	private Map<String, URI> targets = new LinkedHashMap<>();

	@Override
	public Integer call() throws IOException {
		require(this.port >= 0 && this.port <= Ports.MAX, "--port: 0 to %s".formatted(Ports.MAX));
		require(this.portOffset >= 0 && this.portOffset <= MAX_OFFSET, "--port-offset: 0 to %s".formatted(MAX_OFFSET));
		Map<String, URI> chosen = targets();
		// Makes the JDK's HTTP server of this process cut off clients slower than 10 s.
		System.setProperty("sun.net.httpserver.maxReqTime", "10");
		System.setProperty("sun.net.httpserver.maxRspTime", "10");
		// An interrupt is its normal end.
		try (Interruption _ = new Interruption(0); Watch watch = new Watch(chosen); WatchServer server = serve(watch)) {
			chosen.forEach((name, uri) -> say("%-18s %s".formatted(name, uri)));
			say("%nOpen http://127.0.0.1:%s/ . Ctrl-C stops it.".formatted(server.port()));
			Thread.sleep(Duration.ofDays(365));
		}
		catch (InterruptedException _) {
			// Stopped.
		}
		return 0;
	}

	private WatchServer serve(Watch watch) throws IOException {
		try {
			return new WatchServer(watch::after, this.port);
		}
		catch (BindException ex) {
			throw new LabException("port %s is taken%s: choose another with --port".formatted(this.port,
					Ports.holder(this.port).map((process) -> " by process " + process.pid()).orElse("")), ex);
		}
	}

	private Map<String, URI> targets() {
		this.targets.forEach((name, uri) -> {
			require(!name.isBlank() && "http".equals(uri.getScheme()) && uri.getHost() != null
					&& uri.getPort() <= Ports.MAX,
					"--target: '%s=%s' is not like gateway=http://127.0.0.1:8080".formatted(name, uri));
		});
		if (!this.targets.isEmpty()) {
			return this.targets;
		}
		Map<String, URI> services = new LinkedHashMap<>();
		Stream.of(Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE, Module.CONSUMER, Module.BACKEND, Module.SINK)
			.forEach((module) -> services.put(module.directory(),
					URI.create("http://127.0.0.1:%s".formatted(module.managementPort() + this.portOffset))));
		return services;
	}

}
