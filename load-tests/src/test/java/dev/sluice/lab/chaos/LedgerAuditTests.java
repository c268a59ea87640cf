package dev.sluice.lab.chaos;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpExchange;
import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.lab.StubServer;
import dev.sluice.lab.chaos.LedgerAudit.Question;
import dev.sluice.lab.chaos.OrderLedger.Answer;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ChaosResult.Balance;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.sink.Script;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Audits a backend and a gateway with invented contents. */
class LedgerAuditTests {

	private static final int ORDERS = 200;

	private static final Duration POLL = Duration.ofMillis(1);

	private static final Question<OptionalLong> NONE = () -> OptionalLong.of(0);

	@TempDir
	private Path directory;

	private final OrderIdentity identity = new OrderIdentity("audit");

	private final Set<UUID> saved = ConcurrentHashMap.newKeySet();

	private final Map<UUID, OrderStatus> statuses = new ConcurrentHashMap<>();

	private volatile UUID savedWhenAsked;

	/** Each look at the audit saves one order. */
	private final Queue<UUID> savedWhenAudited = new ConcurrentLinkedQueue<>();

	@RegisterExtension
	private final StubServer backend = new StubServer();

	@RegisterExtension
	private final StubServer gateway = new StubServer();

	private OrderLedger ledger;

	private LedgerAudit.Audited audited;

	@BeforeEach
	void start() throws IOException {
		this.ledger = new OrderLedger(ORDERS, 0.2, this.directory.resolve("attempts.csv"));
		this.backend.on("/audit", (exchange) -> answer(exchange, backendAudit())).on("/audit/orders", (exchange) -> {
			exchange.sendResponseHeaders(200, 0);
			try (DataOutputStream body = new DataOutputStream(exchange.getResponseBody())) {
				for (UUID id : this.saved) {
					body.writeLong(id.getMostSignificantBits());
					body.writeLong(id.getLeastSignificantBits());
					body.writeLong(0);
				}
			}
		});
		this.gateway.on("/orders/", (exchange) -> {
			UUID id = UUID.fromString(exchange.getRequestURI().getPath().substring("/orders/".length()));
			if (id.equals(this.savedWhenAsked)) {
				this.saved.add(id);
			}
			OrderStatus status = this.statuses.get(id);
			answer(exchange, (status != null) ? new OrderView(id, status, 1, null, Instant.EPOCH, null) : null);
		});
	}

	@AfterEach
	void stop() throws IOException {
		this.ledger.close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void scenarios(String what, String steps) {
		new Script().word("answer", (words) -> orders(words.get(1)).forEach((order) -> answer(order, words.get(0))))
			.word("save", (words) -> save(words.getFirst()))
			.word("failed", (words) -> this.statuses.put(id(words.getFirst()), OrderStatus.FAILED))
			.word("accepted", (words) -> this.statuses.put(id(words.getFirst()), OrderStatus.ACCEPTED))
			.word("stranger", (_) -> this.saved.add(UUID.randomUUID()))
			.word("saved-when-asked", (words) -> this.savedWhenAsked = id(words.getFirst()))
			.word("saved-when-audited",
					(words) -> orders(words.getFirst()).mapToObj(this.identity::id).forEach(this.savedWhenAudited::add))
			.word("audit", (millis) -> this.audited = audit(Long.parseLong(millis.getFirst()), NONE))
			.is(() -> "%s %s".formatted(this.audited.balance(), this.audited.balance().holds() ? "holds" : "broken"))
			.shown("violations", () -> this.audited.violations().stream().map(this::named).toList())
			.play(steps);
	}

	static Stream<Arguments> scenarios() {
		return Script.scenarios("""
				holds when every accepted order is saved or failed
				  answer 202 0-199; save 0-198; failed 199; audit 0
				  is holds acceptedSync=40 acceptedQueued=160 saved=199 failed=1 repeatsAbsorbed=3; violations
				names the orders that are lost
				  answer 202 0-199; save 2-199; accepted 0; audit 0
				  is broken lost=2; violations #0,lost,0 #1,lost,1
				does not forgive an order that was refused and saved
				  answer 422 0-0; answer unreachable 1-1; save 0-0; audit 0
				  is broken refused=2 refusedButSaved=1; violations #0,refused but saved,0
				allows an order in doubt to be saved or not
				  answer timeout 0-0; answer broken 1-1; save 0-0; audit 0; is holds inDoubt=2 inDoubtSaved=1
				finds orders that nobody placed
				  answer 202 0-199; save 0-199; stranger; audit 0; is broken doubled=1 lost=0
				waits for orders under way, here until the audit has missed one and asks a gateway for it
				  answer 202 0-199; save 0-198; saved-when-asked 199; audit 30000; is holds saved=200
				is not fooled by orders in doubt that arrive late
				  answer timeout 0-2; saved-when-audited 0-2; audit 0; is holds doubled=0 inDoubtSaved=3
				""");
	}

	@Test
	void waitsForWhatKafkaStillHas() throws Exception {
		answer(0, "422");
		Queue<OptionalLong> answers = new ArrayDeque<>(List.of(OptionalLong.of(1), OptionalLong.empty()));

		Balance balance = audit(30_000, () -> {
			if (answers.isEmpty()) {
				save("0-0");
				return OptionalLong.of(0);
			}
			return answers.remove();
		}).balance();

		assertThat(balance.refusedButSaved()).isOne();
		assertThat(balance.holds()).isFalse();
	}

	@Test
	void provesNothingWhileOrdersAreUnderWay() {
		assertThatExceptionOfType(LabException.class).isThrownBy(() -> audit(0, () -> OptionalLong.of(7)))
			.withMessageContaining("Kafka has 7 to be delivered");
		assertThatExceptionOfType(LabException.class).isThrownBy(() -> audit(0, OptionalLong::empty))
			.withMessageContaining("Kafka does not report");
	}

	private BackendAudit backendAudit() {
		UUID late = this.savedWhenAudited.poll();
		if (late != null) {
			this.saved.add(late);
		}
		return new BackendAudit(this.saved.size() + 3, this.saved.size(), 3, 0, 0, 0, 1, 1, 0, null);
	}

	/** The orders of a range such as 0-199. */
	private static IntStream orders(String range) {
		String[] ends = range.split("-");
		return IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
	}

	private void answer(int order, String answer) {
		this.ledger.enter(order, 1, "a", order, 1, switch (answer) {
			case "unreachable" -> Answer.UNREACHABLE;
			case "timeout" -> Answer.TIMEOUT;
			case "broken" -> Answer.BROKEN;
			default -> Answer.of(Integer.parseInt(answer), null);
		});
	}

	private void save(String range) {
		orders(range).mapToObj(this.identity::id).forEach(this.saved::add);
	}

	private UUID id(String order) {
		return this.identity.id(Integer.parseInt(order));
	}

	private String named(String violation) {
		return violation.replace(id("0").toString(), "#0").replace(id("1").toString(), "#1");
	}

	private LedgerAudit.Audited audit(long deadlineMillis, Question<OptionalLong> unfinished)
			throws InterruptedException {
		return new LedgerAudit(this.ledger, this.identity, new BackendControl(this.backend.uri("")),
				this.gateway.uri(""), unfinished, POLL)
			.run(ORDERS, Duration.ofMillis(deadlineMillis), (_) -> {
			});
	}

	private static void answer(HttpExchange exchange, @Nullable Object body) throws IOException {
		StubServer.answer(exchange, (body != null) ? 200 : 404, JsonMapper.shared().writeValueAsString(body));
	}

}
