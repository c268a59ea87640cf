package dev.sluice.lab.kit.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import dev.sluice.lab.kit.load.OrderSupply.Counts;
import io.gatling.app.Gatling$;
import org.jspecify.annotations.Nullable;

/**
 * Runs simulations one after another in one JVM, because starting Gatling costs seconds
 * and a cold generator is ten times slower than a warm one. It connects to the lab's port
 * and obeys lines of text: {@code key=value} is a parameter of the next simulation,
 * {@code run} starts it, {@code stop} lets it place no more orders, and {@code progress}
 * is answered by {@link Counts} and the state. It ends when the lab closes the
 * connection.
 */
public final class LoadGenerator {

	static final String RUNNING = "running";

	static final String ENDED = "ended";

	/** Gatling's exit codes for a simulation that has run: goals met, goals missed. */
	private static final int MET = 0;

	private static final int MISSED = 2;

	/** The orders of the simulation that runs in this JVM; null until it has begun. */
	private static volatile @Nullable OrderSupply orders;

	private volatile String state = ENDED;

	private LoadGenerator() {
	}

	/**
	 * Serves a lab.
	 * @param args the lab's port
	 */
	public static void main(String[] args) throws IOException {
		try (Socket lab = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
				BufferedReader in = new BufferedReader(
						new InputStreamReader(lab.getInputStream(), StandardCharsets.UTF_8));
				PrintWriter out = new PrintWriter(lab.getOutputStream(), true, StandardCharsets.UTF_8)) {
			new LoadGenerator().serve(in, out);
		}
		finally {
			// A simulation may still run.
			Runtime.getRuntime().halt(0);
		}
	}

	/** Notes the orders of a simulation that begins. */
	static void begun(OrderSupply supply) {
		orders = supply;
	}

	private void serve(BufferedReader in, PrintWriter out) throws IOException {
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			switch (line) {
				case "run" -> {
					this.state = RUNNING;
					orders = null;
					Thread.ofPlatform().daemon().name("simulation").start(this::simulate);
				}
				case "stop" -> {
					OrderSupply supply = orders;
					if (supply != null) {
						supply.stop();
					}
				}
				case "progress" -> out.println(progress());
				default -> {
					String[] parameter = line.split("=", 2);
					System.setProperty(parameter[0], parameter[1]);
				}
			}
		}
	}

	private String progress() {
		// The state first: counts that are read after the end are final.
		String now = this.state;
		OrderSupply supply = orders;
		Counts counts = (supply != null) ? supply.counts() : Counts.NONE;
		return "%s %s %s %s".formatted(counts.placed(), counts.accepted(), counts.failedCalls(), now);
	}

	private void simulate() {
		String end = "failed";
		try {
			int code = Gatling$.MODULE$
				.fromArgs(new String[] { "--simulation", OrdersSimulation.class.getName(), "--no-reports" });
			end = (code == MET || code == MISSED) ? ENDED : "failed: Gatling exits with " + code;
		}
		finally {
			this.state = end;
		}
	}

}
