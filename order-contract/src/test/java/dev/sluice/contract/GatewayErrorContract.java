package dev.sluice.contract;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every gateway answers a request whose handler fails with an {@link Error}, which
 * libraries treat differently from an exception, and releases its place.
 */
public abstract class GatewayErrorContract extends RunningGateway {

	/** Path of a handler that fails: {@code /errors/when/which}. */
	public static final String PATH = "/errors/{when}/{which}";

	/** The error with which a handler must fail. */
	public static Error error(String which) {
		return switch (which) {
			case "stack-overflow" -> new StackOverflowError();
			case "no-class" -> new NoClassDefFoundError("dev/sluice/Missing");
			default -> new AssertionError("For a test");
		};
	}

	/** All at once, because some are answered only at their deadline. */
	@Test
	void answersEachRequestThatFailsByAnError() throws Exception {
		Map<String, CompletableFuture<HttpResponse<String>>> answers = new TreeMap<>();
		for (String when : List.of("at-once", "within", "later")) {
			for (String which : List.of("stack-overflow", "no-class", "assertion")) {
				String path = "/errors/%s/%s".formatted(when, which);
				HttpRequest request = HttpRequest.newBuilder(gateway().resolve(path)).timeout(PATIENCE).build();
				answers.put(path, this.client.sendAsync(request, BodyHandlers.ofString()));
			}
		}

		assertThat(answers).allSatisfy((path, answer) -> assertThat(answer).as(path)
			.succeedsWithin(PATIENCE)
			.satisfies(GatewayErrorContract::assertInternal));
		await().until(() -> manage("/actuator/prometheus").body().contains("sluice_requests_in_progress 0.0"));
	}

	private static void assertInternal(HttpResponse<String> answer) {
		assertThat(answer.statusCode()).isEqualTo(500);
		assertThat(header(answer, "Content-Type")).hasValue("application/problem+json");
		assertThat(JsonPath.<String>read(answer.body(), "$.type")).isEqualTo("urn:sluice:problem:internal");
	}

}
