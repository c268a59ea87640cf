package dev.sluice.gateway.core.status;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import dev.sluice.contract.FakeBackend;
import dev.sluice.contract.FakeBackend.Reply;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.FakeRecentOrders;
import dev.sluice.gateway.core.queue.OutcomePublisher;
import dev.sluice.gateway.core.queue.Reading;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * How every gateway finds the status of an order, whichever of the three sources knows
 * it. The table has one row, or is down.
 */
public abstract class OrderStatusesContract {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private static final Instant TIME = Instant.parse("2026-11-21T10:00:00Z");

	private static final OrderView ACCEPTED = new OrderView(ID, OrderStatus.ACCEPTED, 0, TIME, TIME, null);

	private static final OrderView RETRYING = new OrderView(ID, OrderStatus.RETRYING, 2, TIME, TIME, "busy");

	private static final OrderView FAILED = new OrderView(ID, OrderStatus.FAILED, 10, TIME, TIME.plusSeconds(60),
			"refused");

	private static final Instant SAVED_AT = Instant.parse("2026-11-21T11:00:00Z");

	private static final Instant AGAIN = TIME.plusSeconds(61);

	/** What a client may see, by the words of the table below. */
	private static final Map<String, OrderView> VIEWS = Map.of("accepted", ACCEPTED, "accepted again",
			new OrderView(ID, OrderStatus.ACCEPTED, 0, TIME, AGAIN, null), "retrying", RETRYING, "failed", FAILED,
			"saved", new OrderView(ID, OrderStatus.SAVED, 1, TIME, SAVED_AT, null), "only saved",
			new OrderView(ID, OrderStatus.SAVED, 1, null, SAVED_AT, null));

	private static final String SAVED = "{\"id\":\"%s\",\"savedAt\":\"2026-11-21T11:00:00Z\"}".formatted(ID);

	private @Nullable OrderView row;

	private @Nullable RuntimeException failure;

	private final FakeRecentOrders recent = new FakeRecentOrders();

	private final RecordedOutcomes outcomes = new RecordedOutcomes();

	private FakeBackend server;

	/**
	 * Opens the statuses under test, in place of those that are open.
	 * @param backend the backend's address
	 */
	protected abstract void open(StatusProperties properties, FakeRecentOrders recent, URI backend,
			OutcomePublisher outcomes);

	/** Looks up an order and waits for the answer. */
	protected abstract OrderView find(UUID id);

	/** Sends the table the maximum number of concurrent queries, which get no answer. */
	protected abstract void useUpTable();

	/** Closes the statuses and answers the open queries. */
	protected abstract void close() throws Exception;

	/**
	 * The table's row.
	 * @throws RuntimeException if it cannot be read
	 */
	protected final Optional<StatusRow> table() {
		if (this.failure != null) {
			throw this.failure;
		}
		return Optional.ofNullable(this.row).map((view) -> new StatusRow(view, "c-1", view.updatedAt(), null, null));
	}

	@BeforeEach
	void startServer() throws IOException {
		this.server = new FakeBackend();
		open(Duration.ofMinutes(5));
	}

	private void open(Duration timeout) {
		open(new StatusProperties(timeout, 10, "group", timeout), this.recent, this.server.uri(), this.outcomes);
	}

	@AfterEach
	void stopServer() throws Exception {
		close();
		this.server.close();
	}

	/** The backend is asked where it has an answer here. */
	@ParameterizedTest
	@CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
			table    | Kafka          | read        | projection | backend | answer
			retrying | accepted       | CURRENT     | current    | -       | retrying
			-        | accepted       | CURRENT     | current    | -       | accepted
			retrying | accepted       | CURRENT     | behind     | saved   | saved
			retrying | accepted       | CURRENT     | behind     | 404     | retrying
			retrying | accepted       | CURRENT     | behind     | reset   | retrying
			-        | accepted       | CURRENT     | behind     | saved   | saved
			-        | accepted       | CURRENT     | behind     | 404     | accepted
			-        | accepted       | CURRENT     | behind     | reset   | accepted
			failed   | accepted again | CURRENT     | current    | -       | accepted again
			failed   | saved          | CURRENT     | current    | -       | saved
			failed   | accepted       | CURRENT     | current    | 404     | failed
			failed   | -              | CURRENT     | current    | reset   | failed
			failed   | -              | CURRENT     | current    | saved   | saved
			-        | -              | CURRENT     | current    | saved   | only saved
			-        | -              | CURRENT     | current    | 404     | NOT_FOUND
			-        | -              | BEHIND      | current    | 404     | STATUS_UNAVAILABLE
			-        | -              | UNREACHABLE | current    | 404     | STATUS_UNAVAILABLE
			-        | -              | CURRENT     | current    | 500     | STATUS_UNAVAILABLE
			-        | -              | CURRENT     | current    | 503     | STATUS_UNAVAILABLE
			down     | saved          | CURRENT     | current    | -       | only saved
			down     | accepted       | CURRENT     | current    | saved   | saved
			down     | accepted       | CURRENT     | current    | 404     | accepted
			down     | accepted       | CURRENT     | current    | reset   | accepted
			down     | -              | CURRENT     | current    | 404     | STATUS_UNAVAILABLE
			""")
	void believesTheSourceThatKnowsBest(String table, String kafka, Reading reading, String projection, String backend,
			String answer) {
		this.row = VIEWS.get(table);
		this.failure = table.equals("down") ? new QueryTimeoutException("down") : null;
		if (kafka.equals("saved")) {
			this.recent.save(ID, SAVED_AT);
		}
		else if (VIEWS.get(kafka) instanceof OrderView accepted) {
			this.recent.accept(ID, null, TIME, accepted.updatedAt());
		}
		this.recent.read(reading);
		if (projection.equals("behind")) {
			this.recent.projectionIsBehind();
		}
		this.server.reply(switch (backend) {
			case "saved" -> Reply.of(200, SAVED);
			case "reset", "-" -> Reply.reset();
			default -> Reply.of(Integer.parseInt(backend), "{}");
		});

		if (VIEWS.get(answer) instanceof OrderView view) {
			assertThat(find()).isEqualTo(view);
		}
		else {
			assertThat(problem()).isEqualTo(ProblemType.valueOf(answer));
		}
		assertThat(this.server.requests().isEmpty()).isEqualTo(backend.equals("-"));
		boolean news = table.equals("failed") && backend.equals("saved");
		assertThat(this.outcomes.published).isEqualTo(news ? List.of(ID) : List.of());
	}

	@Test
	void knowsFromKafkaWhatItHasReadMeanwhile() {
		this.recent.whileReading(() -> this.recent.accept(ID, null, TIME, TIME));

		assertThat(find()).isEqualTo(ACCEPTED);
		assertThat(this.server.requests()).isEmpty();
	}

	/** The projection has written the row since the table was read. */
	@Test
	void looksIntoTheTableAgainBeforeItSaysThatThereIsNoSuchOrder() {
		this.recent.whileReading(() -> this.row = RETRYING);
		this.server.reply(Reply.of(404, "{}"));

		assertThat(find()).isEqualTo(RETRYING);
	}

	@Test
	void saysNothingWhereTheBackendDoesNotAnswerInTime() {
		open(Duration.ofMillis(100));
		this.server.reply(Reply.never());

		assertThat(problem()).isEqualTo(ProblemType.STATUS_UNAVAILABLE);
	}

	@Test
	void asksTheBackendWhereTooManyAskTheTable() {
		useUpTable();
		this.row = RETRYING;
		this.server.reply(Reply.of(200, SAVED));

		assertThat(find().status()).isEqualTo(OrderStatus.SAVED);
	}

	@ParameterizedTest
	@MethodSource
	void doesNotHideABug(RuntimeException bug) {
		this.failure = bug;
		this.recent.accept(ID, null, TIME, TIME);
		this.server.reply(Reply.of(200, SAVED));

		// The circuit stays closed, so that each request fails like this.
		for (int i = 0; i < 20; i++) {
			assertThatThrownBy(this::find).isSameAs(bug);
		}
	}

	static Stream<RuntimeException> doesNotHideABug() {
		return Stream.of(new InvalidDataAccessResourceUsageException("bad SQL grammar: no such column"),
				new NullPointerException("customer_id"), new IllegalArgumentException("No enum constant"));
	}

	private OrderView find() {
		return find(ID);
	}

	private ProblemType problem() {
		return catchThrowableOfType(ProblemException.class, this::find).type();
	}

	private static final class RecordedOutcomes extends OutcomePublisher {

		private final List<UUID> published = new CopyOnWriteArrayList<>();

		RecordedOutcomes() {
			super(new QueueProperties(Duration.ofSeconds(1), 10, 1, (short) 1, 0),
					new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of())), null, null, JsonMapper.shared(),
					new SimpleMeterRegistry());
		}

		@Override
		public void publish(OrderOutcome outcome) {
			this.published.add(outcome.orderId());
		}

	}

}
