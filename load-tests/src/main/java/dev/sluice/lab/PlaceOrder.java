package dev.sluice.lab;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

import dev.sluice.contract.HttpNames;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.stack.LabException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code lab order}: places one order and, on request, follows it until it is saved or
 * has failed.
 */
@Command(name = "order", description = "Places one order at a running gateway and prints the answer.",
		footer = { "", "Exit code: 0 placed (followed: saved), 1 not, 2 wrong usage." })
public final class PlaceOrder extends GatewayCommand {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

	@Option(names = "--queued",
			description = "Asks for 202 once the order is durable. Default: the gateway's default mode.")
	private boolean queued;

	@Option(names = "--follow", description = "Waits until the order is saved or has failed.")
	private boolean follow;

	@Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "30",
			description = "Maximum time to follow, in seconds. Default: ${DEFAULT-VALUE}.")
	private int timeoutSeconds = 30;

	@Override
	public Integer call() throws InterruptedException {
		require(this.timeoutSeconds >= 1, "--timeout: at least 1 second");
		long deadline = System.nanoTime() + Duration.ofSeconds(this.timeoutSeconds).toNanos();
		HttpResponse<String> answer = send(post());
		print(answer);
		if (answer.statusCode() / 100 != 2) {
			return 1;
		}
		return this.follow ? follow(answer, deadline) : 0;
	}

	private HttpRequest.Builder post() {
		HttpRequest.Builder request = request("/orders", Duration.ofSeconds(this.timeoutSeconds))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(OrderIdentity.body(1, 1)));
		if (this.queued) {
			request.header(HttpNames.PREFER, HttpNames.RESPOND_ASYNC);
		}
		return request;
	}

	private int follow(HttpResponse<String> placed, long deadline) throws InterruptedException {
		String location = placed.headers()
			.firstValue("Location")
			.orElseThrow(() -> new LabException("the answer names no Location to follow"));
		HttpRequest.Builder get = request(location, Duration.ofSeconds(5));
		OrderStatus last = null;
		while (true) {
			HttpResponse<String> answer = send(get);
			if (answer.statusCode() == OK) {
				OrderView view = read(answer, OrderView.class);
				if (view.status() != last) {
					last = view.status();
					say(answer.body());
				}
				switch (view.status()) {
					case SAVED -> {
						return 0;
					}
					case FAILED -> {
						return 1;
					}
					case ACCEPTED, RETRYING -> {
						// Neither saved nor failed yet.
					}
				}
			}
			if (System.nanoTime() > deadline) {
				throw new LabException("%s: neither saved nor failed after %s s, last answer %s %s".formatted(location,
						this.timeoutSeconds, answer.statusCode(), answer.body()));
			}
			Thread.sleep(POLL_INTERVAL);
		}
	}

	private void print(HttpResponse<String> answer) {
		say("HTTP " + answer.statusCode());
		for (String header : List.of("Location", HttpNames.PREFERENCE_APPLIED, "Retry-After")) {
			answer.headers().firstValue(header).ifPresent((value) -> say(header + ": " + value));
		}
		say(answer.body());
	}

}
