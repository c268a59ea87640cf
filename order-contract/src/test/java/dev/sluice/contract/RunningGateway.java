package dev.sluice.contract;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

import com.jayway.jsonpath.JsonPath;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.ResourceLock;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;

/** The gateway that Spring Boot has started for a test, and a client of it. */
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock(GatewayEdgeContract.JVM)
abstract class RunningGateway {

	static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}]}""";

	static final Duration PATIENCE = Patience.ofSeconds(60);

	final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

	@Autowired
	private Environment environment;

	@AfterAll
	void closeClient() {
		this.client.close();
	}

	/** The gateway's address. */
	protected final URI gateway() {
		return address("local.server.port");
	}

	/** The address of its health and metrics. */
	protected final URI management() {
		return address("local.management.port");
	}

	private URI address(String port) {
		return URI.create("http://127.0.0.1:" + this.environment.getRequiredProperty(port));
	}

	static HttpRequest.Builder order(URI gateway, BodyPublisher body, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(gateway.resolve("/orders"))
			.timeout(PATIENCE)
			.header("Content-Type", "application/json")
			.POST(body);
		return (headers.length > 0) ? request.headers(headers) : request;
	}

	final HttpResponse<String> post(String body, String... headers) throws Exception {
		return send(order(gateway(), BodyPublishers.ofString(body), headers));
	}

	final HttpResponse<String> get(String path) throws Exception {
		return send(HttpRequest.newBuilder(gateway().resolve(path)));
	}

	final HttpResponse<String> redeliver(Object id) throws Exception {
		return send(HttpRequest.newBuilder(gateway().resolve("/orders/" + id + "/redelivery"))
			.POST(BodyPublishers.noBody()));
	}

	final HttpResponse<String> manage(String path) throws Exception {
		return send(HttpRequest.newBuilder(management().resolve(path)));
	}

	/** Sends a request. The API document must describe the answer. */
	HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
		HttpRequest sent = request.timeout(PATIENCE).build();
		return DescribedApi.instance().checked(sent, this.client.send(sent, BodyHandlers.ofString()));
	}

	/** The value of a metric, 0 if it has none yet. */
	final double metric(String beginning) throws Exception {
		return metric(manage("/actuator/prometheus").body(), beginning);
	}

	static double metric(String metrics, String beginning) {
		return metrics.lines()
			.filter((line) -> line.startsWith(beginning))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
			.sum();
	}

	static Optional<String> header(HttpResponse<?> response, String name) {
		return response.headers().firstValue(name);
	}

	/** Of a POST it says whether an order was placed, unless the request is to blame. */
	static void assertProblem(HttpResponse<String> response, int status, String type) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
		assertThat(header(response, "Content-Type")).hasValue("application/problem+json");
		assertThat(JsonPath.<String>read(response.body(), "$.type")).isEqualTo("urn:sluice:problem:" + type);
		assertThat(JsonPath.<Integer>read(response.body(), "$.status")).isEqualTo(status);
		assertThat(JsonPath.<String>read(response.body(), "$.title")).isNotBlank();
		assertThat(JsonPath.<String>read(response.body(), "$.detail")).isNotBlank();
		assertThat(header(response, "Retry-After").isPresent()).isEqualTo(status == 503 || status == 429);
		assertThat(response.body().contains("\"placed\":"))
			.isEqualTo(response.request().method().equals("POST") && (status >= 500 || status == 429));
	}

	static void assertPlaced(HttpResponse<String> response, String placed) {
		assertThat(JsonPath.<String>read(response.body(), "$.placed")).isEqualTo(placed);
	}

}
