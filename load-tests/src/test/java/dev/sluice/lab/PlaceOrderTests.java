package dev.sluice.lab;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PlaceOrderTests {

	private static final String ID = "01a1fdff-3db2-79eb-b87a-f16ebde9363a";

	private final LabRun lab = new LabRun();

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

		assertThat(this.lab.out()).contains("HTTP 202", "Location: /orders/" + ID, "\"status\":\"accepted\"");
		assertThat(this.preferences).containsExactly("null");
	}

	@Test
	void asksForTheQueue() {
		order("--queued");

		assertThat(this.preferences).containsExactly("respond-async");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			202 | --follow             | accepted retrying saved | 0 | accepted; retrying; saved
			202 | --follow             | accepted failed         | 1 | failed
			202 | --follow --timeout 1 | accepted                | 1 | neither saved nor failed after 1 s
			503 | --follow             | accepted                | 1 | HTTP 503
			""")
	void followsUntilItIsSavedOrFailedOrLate(int status, String args, String statuses, int exit, String said) {
		this.postStatus = status;
		this.statuses.addAll(List.of(statuses.split(" ")));

		assertThat(order(args.split(" "))).isEqualTo(exit);
		assertThat(this.lab.out() + this.lab.err()).containsSubsequence(said.split("; "));
	}

	private int order(String... args) {
		return this.lab
			.execute(Stream.concat(Stream.of("order", "--gateway", this.gateway.uri("").toString()), Stream.of(args))
				.toArray(String[]::new));
	}

	private static String view(String status) {
		return "{\"id\":\"%s\",\"status\":\"%s\",\"attempts\":0,\"updatedAt\":\"2026-01-01T00:00:00Z\"}".formatted(ID,
				status);
	}

}
