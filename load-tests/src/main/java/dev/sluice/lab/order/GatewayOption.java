package dev.sluice.lab.order;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

import dev.sluice.lab.kit.stack.LabException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --gateway}, and calls of that gateway. */
final class GatewayOption {

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec command;

	@Option(names = "--gateway", paramLabel = "URI", defaultValue = "http://127.0.0.1:8080",
			description = "The gateway. Default: ${DEFAULT-VALUE}; the reactive one is at port 8081.")
	private URI uri = URI.create("http://127.0.0.1:8080");

	/** A request of a path. */
	HttpRequest.Builder request(String path, Duration timeout) {
		if (this.uri.getHost() == null || !List.of("http", "https").contains(this.uri.getScheme())) {
			throw new ParameterException(this.command.commandLine(),
					"--gateway: '%s' is not an HTTP address, such as http://127.0.0.1:8080".formatted(this.uri));
		}
		return HttpRequest.newBuilder(this.uri.resolve(path)).timeout(timeout);
	}

	/**
	 * Sends a request.
	 * @throws LabException without an answer
	 */
	HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) throws InterruptedException {
		HttpRequest built = request.build();
		try {
			return client.send(built, BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new LabException(
					"no answer from %s (%s): is a gateway there? './lab up' starts one".formatted(built.uri(), ex), ex);
		}
	}

}
