package dev.sluice.lab.kit.stack;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.NoProcessLeft;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * No gateway answers 404 for an order that was accepted while the consumer was down, not
 * even after a restart: the projection does not know the order yet, so the answer is 503
 * until another source knows it.
 */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class ConsumerDownIT {

	private static final int ORDERS = 20;

	/** How often each order is read before and after the restart. */
	private static final int READS = 5;

	private static final String ORDER = """
			{"customerId":"c-%s","items":[{"sku":"s-1","quantity":1,"unitPrice":{"amount":"1.50","currency":"EUR"}}]}""";

	private final HttpClient client = HttpClient.newHttpClient();

	@TempDir
	private Path directory;

	@Test
	void anAcceptedOrderIsNeverUnknown() throws Exception {
		try (Stack stack = new Stack(Workspace.find(), Infrastructure.fromEnvironment(), this.directory,
				StackOptions.DEFAULT)) {
			stack.startInfrastructure();
			stack.startBackend(ServiceOptions.NONE);
			Breakable consumer = stack.startConsumer(ServiceOptions.NONE).process();
			Service servlet = stack.startGateway(Variant.SERVLET_VIRTUAL, ServiceOptions.NONE);
			Service reactive = stack.startGateway(Variant.REACTIVE, ServiceOptions.NONE);
			List<URI> gateways = List.of(servlet.uri(), reactive.uri());
			String first = accept(servlet.uri(), 0);
			await().until(() -> isSaved(servlet.uri(), first));

			consumer.stop();
			List<String> orders = new ArrayList<>();
			for (int i = 1; i <= ORDERS; i++) {
				orders.add(accept(gateways.get(i % 2), i));
			}
			assertKnown(gateways, orders);
			for (Service gateway : List.of(servlet, reactive)) {
				gateway.process().kill();
				gateway.process().start();
			}
			assertKnown(gateways, orders);
			consumer.start();

			for (URI gateway : gateways) {
				for (String order : orders) {
					await().until(() -> isSaved(gateway, order));
				}
			}
		}
	}

	/**
	 * @return the path of the order
	 */
	private String accept(URI gateway, int number) throws IOException, InterruptedException {
		HttpResponse<String> response = this.client.send(HttpRequest.newBuilder(gateway.resolve("/orders"))
			.header("Content-Type", "application/json")
			.header("Prefer", "respond-async")
			.POST(BodyPublishers.ofString(ORDER.formatted(number)))
			.build(), BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
		return response.headers().firstValue("Location").orElseThrow();
	}

	private void assertKnown(List<URI> gateways, List<String> orders) throws IOException, InterruptedException {
		for (int i = 0; i < READS; i++) {
			for (URI gateway : gateways) {
				for (String order : orders) {
					HttpResponse<String> response = read(gateway, order);
					assertThat(response.statusCode()).as("%s%s: %s", gateway, order, response.body()).isIn(200, 503);
				}
			}
		}
	}

	private boolean isSaved(URI gateway, String order) throws IOException, InterruptedException {
		HttpResponse<String> response = read(gateway, order);
		assertThat(response.statusCode()).as("%s%s: %s", gateway, order, response.body()).isIn(200, 503);
		return response.body().contains("\"saved\"");
	}

	private HttpResponse<String> read(URI gateway, String order) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(gateway.resolve(URI.create(order).getPath())).build(),
				BodyHandlers.ofString());
	}

}
