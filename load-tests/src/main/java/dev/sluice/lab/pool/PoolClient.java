package dev.sluice.lab.pool;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import dev.sluice.lab.kit.result.PoolResult.Status;
import dev.sluice.lab.kit.stack.LabException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client of a {@link PoolServer} in another process.
 *
 * @param http client to use, closed by the caller
 * @param server without a path
 */
record PoolClient(HttpClient http, URI server) {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	Status status() throws InterruptedException {
		return send("GET", "/status");
	}

	Status concurrency(int most) throws InterruptedException {
		return send("PUT", "/concurrency/" + most);
	}

	/** Produces messages until this thread is interrupted. */
	void produce(int messages, Duration interval, PrintWriter out) throws InterruptedException {
		for (long due = System.nanoTime();; due += interval.toNanos()) {
			Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
			Status status = send("POST", "/messages/" + messages);
			out.println("adding %d to queue of %d with %d inflight...".formatted(messages, status.queued(),
					status.inFlight()));
			out.flush();
		}
	}

	private Status send(String method, String path) throws InterruptedException {
		try {
			HttpResponse<String> answer = this.http.send(HttpRequest.newBuilder(this.server.resolve(path))
				.timeout(TIMEOUT)
				.method(method, BodyPublishers.noBody())
				.build(), BodyHandlers.ofString());
			if (answer.statusCode() != 200) {
				throw new LabException("%s answers %d: %s".formatted(this.server, answer.statusCode(), answer.body()));
			}
			return JsonMapper.shared().readValue(answer.body(), Status.class);
		}
		catch (IOException ex) {
			throw new LabException("Nobody answers at %s: start it with 'lab pool --serve URI'".formatted(this.server),
					ex);
		}
	}

}
