package dev.sluice.lab.order;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Asks a gateway for failed orders, and to deliver them again. Not thread-safe. */
final class Redelivery implements AutoCloseable {

	private static final int PAGE = 500;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final int OK = 200;

	private static final int ACCEPTED = 202;

	private final JsonMapper json = JsonMapper.shared();

	private final HttpClient client = Http.client(Duration.ofSeconds(2));

	private final URI gateway;

	Redelivery(URI gateway) {
		this.gateway = gateway;
	}

	/**
	 * All failed orders, the earliest first, before the first is sent again: one that
	 * fails again would be listed after the others. That takes some 300 bytes of memory
	 * for each.
	 * @throws LabException if the gateway does not list them
	 */
	List<OrderView> failed() throws InterruptedException {
		List<OrderView> failed = new ArrayList<>();
		String next = null;
		do {
			OrderPage page = page(next);
			failed.addAll(page.orders());
			next = page.next();
		}
		while (next != null);
		return failed;
	}

	private OrderPage page(@Nullable String after) throws InterruptedException {
		HttpResponse<String> answer = send(
				request("/orders?status=failed&limit=" + PAGE + ((after != null) ? "&after=" + after : "")));
		if (answer.statusCode() != OK) {
			throw new LabException("%s cannot list the failed orders: %s".formatted(this.gateway, words(answer)));
		}
		try {
			return this.json.readValue(answer.body(), OrderPage.class);
		}
		catch (JacksonException ex) {
			throw new LabException("%s did not answer with a list of orders: is it a gateway?".formatted(this.gateway),
					ex);
		}
	}

	/**
	 * Sends an order again.
	 * @return null if it is queued; else the gateway's answer
	 * @throws LabException if the gateway accepts no orders at the moment
	 */
	@Nullable String redeliver(UUID id) throws InterruptedException {
		HttpResponse<String> answer = send(
				request("/orders/%s/redelivery".formatted(id)).POST(BodyPublishers.noBody()));
		if (answer.statusCode() / 100 != 2 && answer.statusCode() / 100 != 4) {
			throw new LabException(
					"%s accepts no more: %s. Run it again later; what it has accepted is no longer listed"
						.formatted(this.gateway, words(answer)));
		}
		return (answer.statusCode() == ACCEPTED) ? null : words(answer);
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(this.gateway.resolve(path)).timeout(TIMEOUT);
	}

	private HttpResponse<String> send(HttpRequest.Builder request) throws InterruptedException {
		try {
			return this.client.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new LabException("%s does not answer (%s): run it again later".formatted(this.gateway, ex), ex);
		}
	}

	private static String words(HttpResponse<String> answer) {
		return answer.statusCode() + " " + answer.body();
	}

	@Override
	public void close() {
		this.client.shutdownNow();
		this.client.close();
	}

}
