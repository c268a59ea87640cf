package dev.sluice.lab.order;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.sluice.lab.Lab;
import dev.sluice.lab.StubServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class PlaceOrderTests {

	private static final String ID = "01a1fdff-3db2-79eb-b87a-f16ebde9363a";

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	private final List<String> preferences = new CopyOnWriteArrayList<>();

	private final Deque<String> statuses = new ArrayDeque<>();

	private int postStatus = 202;

	@RegisterExtension
	private final StubServer gateway = new StubServer();

	@BeforeEach
	void startGateway() {
		this.gateway.on("/orders", (exchange) -> {
			if (exchange.getRequestMethod().equals("POST")) {
				this.preferences.add(String.valueOf(exchange.getRequestHeaders().getFirst("Prefer")));
				exchange.getResponseHeaders().add("Location", "/orders/" + ID);
				StubServer.answer(exchange, this.postStatus, view("accepted"));
			}
			else {
				StubServer.answer(exchange, 200,
						view((this.statuses.size() > 1) ? this.statuses.pop() : this.statuses.peek()));
			}
		});
	}

	@Test
	void printsTheAnswer() {
		assertThat(order()).isZero();

		assertThat(this.out.toString()).contains("HTTP 202", "Location: /orders/" + ID, "\"status\":\"accepted\"");
		assertThat(this.preferences).containsExactly("null");
	}

	@Test
	void asksForTheQueue() {
		order("--queued");

		assertThat(this.preferences).containsExactly("respond-async");
	}

	@Test
	void followsUntilItIsSaved() {
		this.statuses.addAll(List.of("accepted", "retrying", "saved"));

		assertThat(order("--follow")).isZero();

		assertThat(this.out.toString()).containsSubsequence("accepted", "retrying", "saved");
	}

	@Test
	void endsWith1WhenItFailed() {
		this.statuses.addAll(List.of("accepted", "failed"));

		assertThat(order("--follow")).isEqualTo(1);
	}

	@Test
	void endsWith1WhenItIsNotAtItsEndInTime() {
		this.statuses.add("accepted");

		assertThat(order("--follow", "--timeout", "1")).isEqualTo(1);

		assertThat(this.err.toString()).contains("neither saved nor failed after 1 s");
	}

	@Test
	void endsWith1WhenItIsRefused() {
		this.postStatus = 503;

		assertThat(order("--follow")).isEqualTo(1);

		assertThat(this.out.toString()).contains("HTTP 503");
	}

	private int order(String... args) {
		CommandLine commandLine = Lab.commandLine();
		String[] all = new String[args.length + 3];
		all[0] = "order";
		all[1] = "--gateway";
		all[2] = this.gateway.uri("").toString();
		System.arraycopy(args, 0, all, 3, args.length);
		return commandLine.setOut(new PrintWriter(this.out)).setErr(new PrintWriter(this.err)).execute(all);
	}

	private static String view(String status) {
		return "{\"id\":\"%s\",\"status\":\"%s\",\"attempts\":0,\"updatedAt\":\"2026-01-01T00:00:00Z\"}".formatted(ID,
				status);
	}

}
