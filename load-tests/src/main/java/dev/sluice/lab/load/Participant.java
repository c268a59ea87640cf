package dev.sluice.lab.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** A part's connection to the {@link Coordinator}. */
final class Participant implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final Duration AGAIN = Duration.ofMillis(500);

	/**
	 * Number of exchanges to compare clocks. The quickest one gives the smallest error.
	 */
	static final int LOOKS = 21;

	private final URI coordinator;

	private final Part part;

	private final HttpClient client = Http.client(Duration.ofSeconds(5));

	/**
	 * @param coordinator like {@code http://10.0.0.1:7070}
	 */
	Participant(URI coordinator, Part part) {
		this.coordinator = coordinator;
		this.part = part;
	}

	/**
	 * The difference between the coordinator's clock and this process's.
	 *
	 * @param offsetNanos to add to {@link System#nanoTime()}
	 * @param errorNanos maximum error of the offset
	 */
	record Clock(long offsetNanos, long errorNanos) {
	}

	/**
	 * Joins, and returns when all parts have joined.
	 * @param timeout time limit for all of them, and for the coordinator to listen
	 * @throws LabException if the coordinator refuses, or cannot be reached in time
	 */
	Plan join(Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (true) {
			try {
				return JsonMapper.shared().readValue(post("/join", "", timeout.plus(TIMEOUT)), Plan.class);
			}
			catch (IOException ex) {
				if (System.nanoTime() - deadline > 0) {
					throw new LabException("The coordinator at %s does not answer: %s".formatted(this.coordinator, ex),
							ex);
				}
				Thread.sleep(AGAIN);
			}
			catch (JacksonException ex) {
				throw new LabException("%s is not a coordinator: %s".formatted(this.coordinator, ex.getMessage()), ex);
			}
		}
	}

	/** Compares the clocks. */
	Clock clock() throws InterruptedException {
		Clock best = new Clock(0, Long.MAX_VALUE);
		try {
			for (int i = 0; i < LOOKS; i++) {
				long before = System.nanoTime();
				long other = Long.parseLong(
						send(HttpRequest.newBuilder(this.coordinator.resolve("/clock")).timeout(TIMEOUT).build()));
				long after = System.nanoTime();
				long error = (after - before) / 2;
				if (error < best.errorNanos) {
					best = new Clock(other - before - error, error);
				}
			}
		}
		catch (IOException | NumberFormatException ex) {
			throw new LabException("The coordinator at %s does not tell the time: %s".formatted(this.coordinator, ex),
					ex);
		}
		return best;
	}

	/** Sends the report to the coordinator. */
	void report(PartReport report) throws InterruptedException {
		try {
			post("/report", JsonMapper.shared().writeValueAsString(report), TIMEOUT);
		}
		catch (IOException ex) {
			throw new LabException("The coordinator at %s did not take the report: %s".formatted(this.coordinator, ex),
					ex);
		}
	}

	private String post(String path, String body, Duration timeout) throws IOException, InterruptedException {
		return send(HttpRequest
			.newBuilder(this.coordinator.resolve("%s?part=%d/%d".formatted(path, this.part.number(), this.part.of())))
			.timeout(timeout)
			.POST(BodyPublishers.ofString(body))
			.build());
	}

	private String send(HttpRequest request) throws IOException, InterruptedException {
		HttpResponse<String> answer = this.client.send(request, BodyHandlers.ofString());
		if (answer.statusCode() != 200) {
			throw new LabException("The coordinator refuses %s: %s".formatted(this.part, answer.body()));
		}
		return answer.body();
	}

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

}
