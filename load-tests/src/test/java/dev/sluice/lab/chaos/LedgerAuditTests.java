package dev.sluice.lab.chaos;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
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
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Audits a backend and a gateway with invented contents. */
class LedgerAuditTests {

	private static final int ORDERS = 200;

	private static final Duration POLL = Duration.ofMillis(1);

	private static final Answer ACCEPTED = Answer.of(202, null);

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

	@Test
	void holdsWhenEveryAcceptedOrderIsSavedOrFailed() throws Exception {
		accept(0, ORDERS);
		save(0, ORDERS - 1);
		this.statuses.put(this.identity.id(ORDERS - 1), OrderStatus.FAILED);

		LedgerAudit.Audited audited = audit();

		Balance balance = audited.balance();
		assertThat(balance.holds()).isTrue();
		assertThat(balance.accepted()).isEqualTo(ORDERS);
		assertThat(balance.acceptedSync()).isEqualTo(ORDERS / 5);
		assertThat(balance.saved()).isEqualTo(ORDERS - 1);
		assertThat(balance.failed()).isOne();
		assertThat(balance.repeatsAbsorbed()).isEqualTo(3);
		assertThat(audited.violations()).isEmpty();
	}

	@Test
	void namesTheOrdersThatAreLost() throws Exception {
		accept(0, ORDERS);
		save(2, ORDERS);
		this.statuses.put(this.identity.id(0), OrderStatus.ACCEPTED);

		LedgerAudit.Audited audited = audit();

		assertThat(audited.balance().holds()).isFalse();
		assertThat(audited.balance().lost()).isEqualTo(2);
		assertThat(audited.violations()).containsExactly(this.identity.id(0) + ",lost,0",
				this.identity.id(1) + ",lost,1");
	}

	@Test
	void doesNotForgiveAnOrderThatWasRefusedAndSaved() throws Exception {
		this.ledger.enter(0, 1, "a", 0, 1, Answer.of(422, null));
		this.ledger.enter(1, 1, "a", 0, 1, Answer.UNREACHABLE);
		save(0, 1);

		LedgerAudit.Audited audited = audit();

		assertThat(audited.balance().holds()).isFalse();
		assertThat(audited.balance().refused()).isEqualTo(2);
		assertThat(audited.balance().refusedButSaved()).isOne();
		assertThat(audited.violations()).containsExactly(this.identity.id(0) + ",refused but saved,0");
	}

	@Test
	void allowsAnOrderInDoubtToBeSavedOrNot() throws Exception {
		this.ledger.enter(0, 1, "a", 0, 1, Answer.TIMEOUT);
		this.ledger.enter(1, 1, "a", 0, 1, Answer.BROKEN);
		save(0, 1);

		Balance balance = audit().balance();

		assertThat(balance.holds()).isTrue();
		assertThat(balance.inDoubt()).isEqualTo(2);
		assertThat(balance.inDoubtSaved()).isOne();
	}

	@Test
	void findsOrdersThatNobodyPlaced() throws Exception {
		accept(0, ORDERS);
		save(0, ORDERS);
		this.saved.add(UUID.randomUUID());

		Balance balance = audit().balance();

		assertThat(balance.holds()).isFalse();
		assertThat(balance.doubled()).isOne();
		assertThat(balance.lost()).isZero();
	}

	@Test
	void waitsForOrdersUnderWay() throws Exception {
		accept(0, ORDERS);
		save(0, ORDERS - 1);
		// Saved when a gateway is asked for it, so after the audit has missed it.
		this.savedWhenAsked = this.identity.id(ORDERS - 1);

		Balance balance = audit(30_000, NONE).balance();

		assertThat(balance.holds()).isTrue();
		assertThat(balance.saved()).isEqualTo(ORDERS);
	}

	@Test
	void waitsForWhatKafkaStillHas() throws Exception {
		this.ledger.enter(0, 1, "a", 0, 1, Answer.of(422, null));
		Queue<OptionalLong> answers = new ArrayDeque<>(List.of(OptionalLong.of(1), OptionalLong.empty()));

		Balance balance = audit(30_000, () -> {
			if (answers.isEmpty()) {
				save(0, 1);
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

	@Test
	void isNotFooledByOrdersInDoubtThatArriveLate() throws Exception {
		for (int order = 0; order < 3; order++) {
			this.ledger.enter(order, 1, "a", 0, 1, Answer.TIMEOUT);
			this.savedWhenAudited.add(this.identity.id(order));
		}

		Balance balance = audit().balance();

		assertThat(balance.doubled()).isZero();
		assertThat(balance.inDoubtSaved()).isEqualTo(3);
		assertThat(balance.holds()).isTrue();
	}

	private BackendAudit backendAudit() {
		UUID late = this.savedWhenAudited.poll();
		if (late != null) {
			this.saved.add(late);
		}
		return new BackendAudit(this.saved.size() + 3, this.saved.size(), 3, 0, 0, 0, 1, 1, 0, null);
	}

	private void accept(int from, int to) {
		for (int order = from; order < to; order++) {
			this.ledger.enter(order, 1, "a", order, 1, ACCEPTED);
		}
	}

	private void save(int from, int to) {
		for (int order = from; order < to; order++) {
			this.saved.add(this.identity.id(order));
		}
	}

	private LedgerAudit.Audited audit() throws InterruptedException {
		return audit(0, NONE);
	}

	private LedgerAudit.Audited audit(long deadlineMillis, Question<OptionalLong> unfinished)
			throws InterruptedException {
		try (HttpClient client = Http.client(Duration.ofSeconds(5))) {
			return new LedgerAudit(this.ledger, this.identity, new BackendControl(client, this.backend.uri("")),
					this.gateway.uri(""), unfinished, POLL)
				.run(ORDERS, Duration.ofMillis(deadlineMillis), (_) -> {
				});
		}
	}

	private static void answer(HttpExchange exchange, @Nullable Object body) throws IOException {
		StubServer.answer(exchange, (body != null) ? 200 : 404, JsonMapper.shared().writeValueAsString(body));
	}

}
