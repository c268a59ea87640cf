package dev.sluice.lab;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpExchange;
import dev.sluice.contract.OrderPage;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.sink.Script;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class RedeliverTests {

	private static final int PAGE = 2;

	private final LabRun lab = new LabRun();

	/** Orders in the sequence in which they failed. Guards the following fields, too. */
	private final List<OrderView> failed = new ArrayList<>();

	private final Map<String, UUID> ids = new HashMap<>();

	private final List<UUID> asked = new ArrayList<>();

	/** Problems that the gateway answers; without one it answers 202. */
	private final Map<UUID, String> problems = new HashMap<>();

	/** When redelivered orders fail again; null if they do not. */
	private Instant failsAgainAt;

	@RegisterExtension
	private final StubServer gateway = new StubServer();

	@BeforeEach
	void startGateway() {
		this.gateway.on("/orders", (exchange) -> {
			synchronized (this.failed) {
				if (exchange.getRequestMethod().equals("GET")) {
					list(exchange);
				}
				else {
					redeliver(exchange);
				}
			}
		});
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void scenarios(String what, String steps) {
		new Script()
			.word("failed",
					(words) -> fail(words.get(0), words.get(1), String.join(" ", words.subList(2, words.size()))))
			.word("answers",
					(words) -> this.problems.put(this.ids.get(words.get(0)),
							words.get(1) + " " + ProblemType.valueOf(words.get(2)).type()))
			.word("fails-again", (at) -> this.failsAgainAt = Instant.parse(at.getFirst()))
			.word("redeliver",
					(words) -> assertThat(redeliver(words.stream().skip(1).map((word) -> word.replace('_', ' '))))
						.isEqualTo(Integer.parseInt(words.getFirst())))
			.shown("asked", () -> this.asked.stream().map((id) -> named(id.toString())).toList())
			.word("says",
					(words) -> assertThat(named(this.lab.out() + this.lab.err())).contains(String.join(" ", words)))
			.play(steps);
	}

	static Stream<Arguments> scenarios() {
		return Script.scenarios(
				"""
						redelivers all pages
						  failed a 2026-01-01; failed b 2026-01-01; failed c 2026-01-01; failed d 2026-01-01; failed e 2026-01-01
						  redeliver 0; asked a b c d e; says 5 failed orders: 5 queued again, 0 refused
						takes those of a reason since a time
						  failed a 2026-01-01 The backend refused: 422; failed b 2026-01-02 too slow
						  failed c 2026-01-02 the BACKEND refused: 400
						  redeliver 0 --reason backend_refused --since 2026-01-02T00:00:00Z; asked c
						understands how long ago
						  failed a -7200; failed b -60; redeliver 0 --since 30m; asked b
						ends with 1 and names what is left
						  failed a 2026-01-01; failed b 2026-01-01; answers a 409 NOT_REDELIVERABLE
						  redeliver 1; asked a b; says a  left: 409; says 2 failed orders: 1 queued again, 1 refused
						ends at a gateway that accepts nothing
						  failed a 2026-01-01; failed b 2026-01-01; answers a 503 QUEUE_UNAVAILABLE
						  redeliver 1; asked a; says accepts no more: 503; says Run it again later
						does not take an order twice that fails again
						  failed a 2026-01-01; failed b 2026-01-01; failed c 2026-01-01; fails-again 2026-01-02T00:00:00Z
						  redeliver 0; asked a b c
						takes what failed by a clock that is ahead
						  failed a 60; redeliver 0; asked a
						lists only when asked to
						  failed a 2026-01-01 broken; redeliver 0 --dry-run; asked; says a  broken
						  says 1 failed orders would be delivered again
						""");
	}

	@Test
	void refusesWhatCannotBe() {
		assertThat(redeliver(Stream.of("--since", "yesterday"))).isEqualTo(2);
		assertThat(this.lab.execute("redeliver", "--gateway", "localhost")).isEqualTo(2);
	}

	/** On a day, or seconds from now. */
	private void fail(String name, String at, String reason) {
		UUID id = UUID.randomUUID();
		this.ids.put(name, id);
		fail(id, reason.isEmpty() ? "broken" : reason,
				at.startsWith("20") ? Instant.parse(at + "T00:00:00Z") : Instant.now().plusSeconds(Long.parseLong(at)));
	}

	private void fail(UUID id, String reason, Instant at) {
		this.failed.add(new OrderView(id, OrderStatus.FAILED, 1, null, at, reason));
	}

	private void list(HttpExchange exchange) throws IOException {
		String query = exchange.getRequestURI().getQuery();
		assertThat(query).startsWith("status=failed&");
		int from = query.contains("after=") ? Integer.parseInt(query.replaceFirst(".*after=", "")) : 0;
		int to = Math.min(from + PAGE, this.failed.size());
		OrderPage page = new OrderPage(this.failed.subList(from, to),
				(to < this.failed.size()) ? Integer.toString(to) : null);
		StubServer.answer(exchange, 200, JsonMapper.shared().writeValueAsString(page));
	}

	private void redeliver(HttpExchange exchange) throws IOException {
		UUID id = UUID.fromString(exchange.getRequestURI().getPath().split("/")[2]);
		this.asked.add(id);
		String problem = this.problems.get(id);
		if (problem == null) {
			if (this.failsAgainAt != null && Collections.frequency(this.asked, id) == 1) {
				fail(id, "broken again", this.failsAgainAt);
			}
			StubServer.answer(exchange, 202, "{}");
			return;
		}
		String[] words = problem.split(" ");
		StubServer.answer(exchange, Integer.parseInt(words[0]), "{\"type\":\"%s\"}".formatted(words[1]));
	}

	private int redeliver(Stream<String> args) {
		return this.lab
			.execute(Stream.concat(Stream.of("redeliver", "--gateway", this.gateway.uri("").toString()), args)
				.toArray(String[]::new));
	}

	/** With names in place of ids. */
	private String named(String text) {
		String said = text;
		for (Map.Entry<String, UUID> each : this.ids.entrySet()) {
			said = said.replace(each.getValue().toString(), each.getKey());
		}
		return said.replaceAll(" +", " ");
	}

}
