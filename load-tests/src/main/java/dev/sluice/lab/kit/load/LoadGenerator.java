package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.lab.kit.load.OrderSupply.Counts;
import io.gatling.app.Gatling$;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs simulations one after another in one JVM, because starting Gatling costs seconds
 * and a cold generator is ten times slower than a warm one. The lab asks it by HTTP:
 * {@code /run} starts a simulation with {@link LoadParameters}, {@code /stop} lets it
 * place no more orders; each answer is its {@link Progress}.
 */
public final class LoadGenerator {

	/** Gatling's exit codes for a simulation that has run: goals met, goals missed. */
	private static final int MET = 0;

	private static final int MISSED = 2;

	/** Of the simulation that is to run next in this JVM. */
	private static volatile @Nullable LoadParameters parameters;

	/** The orders of the simulation that runs in this JVM; null until it has begun. */
	private static volatile @Nullable OrderSupply orders;

	private volatile boolean ended = true;

	private volatile @Nullable String failure;

	private LoadGenerator() {
	}

	/**
	 * How far a simulation is.
	 *
	 * @param counts what became of its orders until now
	 * @param ended whether it has ended, and its notes are written
	 * @param failure why it ended before its orders did; null if it did not
	 */
	record Progress(Counts counts, boolean ended, @Nullable String failure) {
	}

	/** Serves a lab at the port that is given. */
	public static void main(String[] args) throws IOException {
		HttpServer server = HttpServer
			.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 0);
		server.createContext("/", new LoadGenerator()::serve);
		server.start();
	}

	/** Begins a simulation: with the lab's parameters, or by hand with properties. */
	static OrderSupply begin() {
		LoadParameters given = parameters;
		OrderSupply supply = new OrderSupply((given != null) ? given : LoadParameters.of(System.getProperties()));
		orders = supply;
		return supply;
	}

	private void serve(HttpExchange exchange) throws IOException {
		try (exchange) {
			switch (exchange.getRequestURI().getPath()) {
				case "/run" -> {
					parameters = JsonMapper.shared().readValue(exchange.getRequestBody(), LoadParameters.class);
					orders = null;
					this.ended = false;
					Thread.ofPlatform().daemon().name("simulation").start(this::simulate);
				}
				case "/stop" -> {
					OrderSupply supply = orders;
					if (supply != null) {
						supply.stop();
					}
				}
				default -> {
					// Asks how far it is.
				}
			}
			byte[] answer = JsonMapper.shared().writeValueAsBytes(progress());
			exchange.sendResponseHeaders(200, answer.length);
			exchange.getResponseBody().write(answer);
		}
	}

	private Progress progress() {
		// The state first: counts that are read after the end are final.
		boolean over = this.ended;
		OrderSupply supply = orders;
		return new Progress((supply != null) ? supply.counts() : Counts.NONE, over, this.failure);
	}

	private void simulate() {
		String why = "failed";
		try {
			int code = Gatling$.MODULE$
				.fromArgs(new String[] { "--simulation", OrdersSimulation.class.getName(), "--no-reports" });
			why = (code == MET || code == MISSED) ? null : "Gatling exits with " + code;
		}
		finally {
			this.failure = why;
			this.ended = true;
		}
	}

}
