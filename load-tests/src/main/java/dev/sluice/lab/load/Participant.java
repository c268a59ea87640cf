package dev.sluice.lab.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;

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
	static final int CLOCK_SAMPLES = 21;

	private final URI coordinator;

	private final Part part;

	/** Identifies this process if it joins again because the answer was lost. */
	private final String process = UUID.randomUUID().toString();

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
		try {
			return JsonMapper.shared()
				.readValue(post("/join", this.process, timeout.plus(TIMEOUT), timeout), Plan.class);
		}
		catch (IOException ex) {
			throw new LabException("The coordinator at %s does not answer: %s".formatted(this.coordinator, ex), ex);
		}
		catch (JacksonException ex) {
			throw new LabException("%s is not a coordinator: %s".formatted(this.coordinator, ex.getMessage()), ex);
		}
	}

	/** Compares the clocks. */
	Clock clock() throws InterruptedException {
		Clock best = new Clock(0, Long.MAX_VALUE);
		try {
			for (int i = 0; i < CLOCK_SAMPLES; i++) {
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
			throw new LabException("The coordinator at %s does not report the time: %s".formatted(this.coordinator, ex),
					ex);
		}
		return best;
	}

	/** Sends the report to the coordinator, several times if its answer is lost. */
	void report(PartReport report) throws InterruptedException {
		try {
			post("/report", JsonMapper.shared().writeValueAsString(report), TIMEOUT, TIMEOUT);
		}
		catch (IOException ex) {
			throw new LabException("The coordinator at %s did not take the report: %s".formatted(this.coordinator, ex),
					ex);
		}
	}

	/**
	 * Posts a request that may be repeated.
	 * @param timeout time limit for an answer
	 * @param retries time after which a request without an answer is not repeated
	 * @throws IOException if the last request had no answer
	 */
	private String post(String path, String body, Duration timeout, Duration retries)
			throws IOException, InterruptedException {
		long deadline = System.nanoTime() + retries.toNanos();
		while (true) {
			try {
				return send(HttpRequest
					.newBuilder(this.coordinator
						.resolve("%s?part=%d/%d".formatted(path, this.part.number(), this.part.of())))
					.timeout(timeout)
					.POST(BodyPublishers.ofString(body))
					.build());
			}
			catch (IOException ex) {
				if (System.nanoTime() - deadline > 0) {
					throw ex;
				}
				Thread.sleep(AGAIN);
			}
		}
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
