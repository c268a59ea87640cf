package dev.sluice.lab;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

import dev.sluice.lab.kit.run.LabCommand;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** A command that calls a gateway. */
abstract class GatewayCommand extends LabCommand {

	protected static final int OK = 200;

	@Option(names = "--gateway", paramLabel = "URI", defaultValue = "http://127.0.0.1:8080",
			description = "The gateway. Default: ${DEFAULT-VALUE}; the reactive one is at port 8081.")
	private URI gateway = URI.create("http://127.0.0.1:8080");

	/** A request of a path. */
	protected final HttpRequest.Builder request(String path, Duration timeout) {
		require(this.gateway.getHost() != null && List.of("http", "https").contains(this.gateway.getScheme()),
				"--gateway: '%s' is not an HTTP address, such as http://127.0.0.1:8080".formatted(this.gateway));
		return HttpRequest.newBuilder(this.gateway.resolve(path)).timeout(timeout);
	}

	/**
	 * Sends a request.
	 * @throws LabException without an answer
	 */
	protected static HttpResponse<String> send(HttpRequest.Builder request) throws InterruptedException {
		HttpRequest built = request.build();
		try {
			return Http.CLIENT.send(built, BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new LabException(
					"no answer from %s (%s): is a gateway there? './lab up' starts one".formatted(built.uri(), ex), ex);
		}
	}

	/** Reads the JSON of an answer with status 200. */
	protected static <T> T read(HttpResponse<String> answer, Class<T> type) {
		try {
			return JsonMapper.shared().readValue(answer.body(), type);
		}
		catch (JacksonException ex) {
			throw new LabException("the answer is not a gateway's: " + answer.body(), ex);
		}
	}

}
