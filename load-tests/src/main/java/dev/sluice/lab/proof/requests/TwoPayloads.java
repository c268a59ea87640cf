package dev.sluice.lab.proof.requests;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour.Special;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.SampleOrder;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.proof.claim.TestBed;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends two requests with one key but different payloads or modes to two gateways: the
 * second after the answer to the first, and both at once.
 */
final class TwoPayloads {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	/** Time for an answer other than 503, and for an order to fail. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final long PENDING_MILLIS = 2_000;

	private static final String REFUSED = "refused-";

	private static final int REFUSAL = 400;

	private static final int OK = 200;

	private static final int CREATED = 201;

	private static final int ACCEPTED = 202;

	private static final int CONFLICT = 409;

	private static final int REUSED = 422;

	private static final int UNAVAILABLE = 503;

	private final TestBed testBed;

	private final HttpClient client;

	private final int pairs;

	TwoPayloads(TestBed testBed, int pairs) {
		this.testBed = testBed;
		this.client = testBed.client();
		this.pairs = pairs;
	}

	List<Check> run() throws IOException, InterruptedException {
		List<Check> checks = new ArrayList<>();
		checks.addAll(pending());
		checks.addAll(failed());
		checks.addAll(raced());
		return checks;
	}

	private List<Check> pending() throws IOException, InterruptedException {
		this.testBed.step("Repeating the keys of %d pending orders with another payload".formatted(this.pairs));
		this.testBed.backend().behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(PENDING_MILLIS)));
		int notKnown = 0;
		int replaced = 0;
		int queuedTwice = 0;
		for (int i = 0; i < this.pairs; i++) {
			String key = "pending-" + i;
			String id = view(place(from(i), Mode.QUEUED, "pending", key, 1), ACCEPTED).id().toString();
			notKnown += (status(to(i), id).statusCode() == OK) ? 0 : 1;
			replaced += (place(to(i), Mode.SYNC, "pending", key, 2).statusCode() == REUSED) ? 0 : 1;
			queuedTwice += (place(to(i), Mode.QUEUED, "pending", key, 2).statusCode() == REUSED) ? 0 : 1;
		}
		this.testBed.backend().behave(BackendBehaviour.DEFAULT);
		this.testBed.awaitQuiet(PATIENCE);
		return List.of(Check.none("orders accepted by one gateway and not known to the other", notKnown),
				Check.none("pending orders whose key the other gateway used for another sync order", replaced),
				Check.none("pending orders whose key the other gateway used for another queued order", queuedTwice));
	}

	private List<Check> failed() throws IOException, InterruptedException {
		this.testBed.step("Repeating the keys of %d failed orders".formatted(this.pairs));
		this.testBed.backend().behave(BackendBehaviour.DEFAULT.withSpecials(new Special(REFUSED, 0, REFUSAL)));
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < this.pairs; i++) {
			ids.add(view(place(from(i), Mode.QUEUED, REFUSED + i, "failed", 1), ACCEPTED).id().toString());
		}
		for (int i = 0; i < this.pairs; i++) {
			awaitFailed(to(i), ids.get(i));
		}
		this.testBed.backend().behave(BackendBehaviour.DEFAULT);
		int replaced = 0;
		int notSaved = 0;
		int stillFailed = 0;
		int redelivered = 0;
		for (int i = 0; i < this.pairs; i++) {
			replaced += (place(to(i), Mode.SYNC, REFUSED + i, "failed", 2).statusCode() == REUSED) ? 0 : 1;
			notSaved += (place(to(i), Mode.SYNC, REFUSED + i, "failed", 1).statusCode() == CREATED) ? 0 : 1;
			for (Service gateway : this.testBed.gateways()) {
				stillFailed += (view(status(gateway, ids.get(i)), OK).status() == OrderStatus.SAVED) ? 0 : 1;
			}
			redelivered += (redeliver(from(i), ids.get(i)).statusCode() == CONFLICT) ? 0 : 1;
		}
		return List.of(Check.none("failed orders whose key the other gateway used for another order", replaced),
				Check.none("failed orders repeated sync and not saved", notSaved),
				Check.none("answers that such an order still failed", stillFailed),
				Check.none("such orders delivered again", redelivered));
	}

	private List<Check> raced() throws IOException, InterruptedException {
		this.testBed.step("Placing %d orders in both modes at once".formatted(this.pairs));
		Set<String> ids = new LinkedHashSet<>();
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < this.pairs; i++) {
				int number = i;
				List<Callable<HttpResponse<String>>> both = List.of(
						() -> place(from(number), Mode.QUEUED, "raced", "raced-" + number, 1),
						() -> place(to(number), Mode.SYNC, "raced", "raced-" + number, 1));
				for (var answer : executor.invokeAll(both)) {
					ids.add(JsonMapper.shared().readValue(answer.get().body(), OrderView.class).id().toString());
				}
			}
		}
		catch (ExecutionException ex) {
			throw new LabException("An order could not be placed: " + ex.getCause(), ex);
		}
		this.testBed.awaitQuiet(PATIENCE);
		int different = 0;
		int notSaved = 0;
		for (String id : ids) {
			HttpResponse<String> one = status(this.testBed.gateways().getFirst(), id);
			HttpResponse<String> other = status(this.testBed.gateways().getLast(), id);
			different += one.body().equals(other.body()) ? 0 : 1;
			notSaved += (view(one, OK).status() == OrderStatus.SAVED) ? 0 : 1;
		}
		return List.of(Check.exactly("ids of orders placed in both modes at once", this.pairs, ids.size()),
				Check.none("of these not saved", notSaved),
				Check.none("of these that the gateways describe with different bytes", different));
	}

	private Service from(int i) {
		return this.testBed.gateways().get(i % 2);
	}

	private Service to(int i) {
		return this.testBed.gateways().get((i + 1) % 2);
	}

	private HttpResponse<String> place(Service gateway, Mode mode, String customer, String key, int quantity)
			throws IOException, InterruptedException {
		Order order = SampleOrder.of(customer, "sku-1", quantity);
		HttpRequest.Builder request = request(gateway.uri().resolve("/orders"))
			.header("Content-Type", "application/json")
			.header(HttpNames.IDEMPOTENCY_KEY, "\"%s-%d\"".formatted(key, this.testBed.seed()))
			.POST(BodyPublishers.ofByteArray(JsonMapper.shared().writeValueAsBytes(order)));
		return switch (mode) {
			case SYNC -> send(request);
			case QUEUED -> send(request.header(HttpNames.PREFER, HttpNames.RESPOND_ASYNC));
		};
	}

	private HttpResponse<String> status(Service gateway, String id) throws IOException, InterruptedException {
		return send(request(gateway.uri().resolve("/orders/" + id)).GET());
	}

	private HttpResponse<String> redeliver(Service gateway, String id) throws IOException, InterruptedException {
		return send(request(gateway.uri().resolve("/orders/" + id + "/redelivery")).POST(BodyPublishers.noBody()));
	}

	private void awaitFailed(Service gateway, String id) throws IOException, InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (view(status(gateway, id), OK).status() != OrderStatus.FAILED) {
			if (System.nanoTime() > deadline) {
				throw new LabException("Order %s has not failed within %d s".formatted(id, PATIENCE.toSeconds()));
			}
			Thread.sleep(50);
		}
	}

	private static HttpRequest.Builder request(URI uri) {
		return HttpRequest.newBuilder(uri).timeout(TIMEOUT);
	}

	/**
	 * Sends a request, and retries while it is refused with 503 or still in progress, as
	 * a client would.
	 */
	private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (true) {
			HttpResponse<String> response = this.client.send(request.build(), BodyHandlers.ofString());
			boolean again = response.statusCode() == UNAVAILABLE || response.body().contains("in-progress");
			if (!again || System.nanoTime() > deadline) {
				return response;
			}
			Thread.sleep(100);
		}
	}

	private static OrderView view(HttpResponse<String> response, int status) {
		if (response.statusCode() != status) {
			throw new LabException("%s was answered %d and not %d: %s".formatted(response.uri(), response.statusCode(),
					status, response.body()));
		}
		return JsonMapper.shared().readValue(response.body(), OrderView.class);
	}

}
