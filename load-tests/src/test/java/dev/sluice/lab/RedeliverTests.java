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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class RedeliverTests {

	private static final int PAGE = 2;

	private final LabRun lab = new LabRun();

	/** Orders in the sequence in which they failed. Guards the following fields, too. */
	private final List<OrderView> failed = new ArrayList<>();

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

	@Test
	void redeliversAllPages() {
		List<UUID> ids = Stream.generate(() -> fail("broken", "2026-01-01T00:00:00Z")).limit(5).toList();

		assertThat(redeliver()).isZero();

		assertThat(this.asked).containsExactlyElementsOf(ids);
		assertThat(this.lab.out()).contains("5 failed orders: 5 queued again, 0 refused");
	}

	@Test
	void takesThoseOfAReasonSinceATime() {
		fail("The backend refused: 422", "2026-01-01T00:00:00Z");
		fail("too slow", "2026-01-02T00:00:00Z");
		UUID chosen = fail("the BACKEND refused: 400", "2026-01-02T00:00:00Z");

		assertThat(redeliver("--reason", "backend refused", "--since", "2026-01-02T00:00:00Z")).isZero();

		assertThat(this.asked).containsExactly(chosen);
	}

	@Test
	void understandsHowLongAgo() {
		fail("old", Instant.now().minusSeconds(7_200).toString());
		UUID chosen = fail("young", Instant.now().minusSeconds(60).toString());

		assertThat(redeliver("--since", "30m")).isZero();

		assertThat(this.asked).containsExactly(chosen);
	}

	@Test
	void endsWith1AndNamesWhatIsLeft() {
		UUID gone = fail("unreadable", "2026-01-01T00:00:00Z");
		fail("broken", "2026-01-01T00:00:00Z");
		this.problems.put(gone, "409 " + ProblemType.NOT_REDELIVERABLE.type());

		assertThat(redeliver()).isEqualTo(1);

		assertThat(this.asked).hasSize(2);
		assertThat(this.lab.out()).contains(gone + "  left: 409")
			.contains("2 failed orders: 1 queued again, 1 refused");
	}

	@Test
	void endsAtAGatewayThatAcceptsNothing() {
		UUID first = fail("broken", "2026-01-01T00:00:00Z");
		fail("broken", "2026-01-01T00:00:00Z");
		this.problems.put(first, "503 " + ProblemType.QUEUE_UNAVAILABLE.type());

		assertThat(redeliver()).isEqualTo(1);

		assertThat(this.asked).containsExactly(first);
		assertThat(this.lab.err()).contains("accepts no more: 503").contains("Run it again later");
	}

	@Test
	void doesNotTakeAnOrderTwiceThatFailsAgain() {
		List<UUID> ids = Stream.generate(() -> fail("broken", "2026-01-01T00:00:00Z")).limit(3).toList();
		this.failsAgainAt = Instant.parse("2026-01-02T00:00:00Z");

		assertThat(redeliver()).isZero();

		assertThat(this.asked).containsExactlyElementsOf(ids);
	}

	@Test
	void takesWhatFailedByAClockThatIsAhead() {
		UUID id = fail("broken", Instant.now().plusSeconds(60).toString());

		assertThat(redeliver()).isZero();

		assertThat(this.asked).containsExactly(id);
	}

	@Test
	void listsOnlyWhenAskedTo() {
		UUID id = fail("broken", "2026-01-01T00:00:00Z");

		assertThat(redeliver("--dry-run")).isZero();

		assertThat(this.asked).isEmpty();
		assertThat(this.lab.out()).contains(id + "  broken", "1 failed orders would be delivered again");
	}

	@Test
	void refusesWhatCannotBe() {
		assertThat(redeliver("--since", "yesterday")).isEqualTo(2);
		assertThat(this.lab.execute("redeliver", "--gateway", "localhost")).isEqualTo(2);
	}

	private UUID fail(String reason, String at) {
		UUID id = UUID.randomUUID();
		fail(id, reason, Instant.parse(at));
		return id;
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

	private int redeliver(String... args) {
		return this.lab.execute(
				Stream.concat(Stream.of("redeliver", "--gateway", this.gateway.uri("").toString()), Stream.of(args))
					.toArray(String[]::new));
	}

}
