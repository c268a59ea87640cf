package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import dev.sluice.contract.Order;
import dev.sluice.contract.OrderView;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderReply;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.ProducerListener;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/** How every gateway puts orders into Kafka, whether or not the caller waits. */
public abstract class OrderQueueContract {

	/** Longer than any test. */
	private static final Duration LONG = Duration.ofHours(1);

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private static final UUID ID = UUID.randomUUID();

	private static final ValidOrder ORDER = new ValidOrder(ID, new Order("c-1", null, null),
			"{}".getBytes(StandardCharsets.UTF_8), null, null);

	private final MockProducer<String, byte[]> producer = new MockProducer<>(false, null, new StringSerializer(),
			new ByteArraySerializer()) {

		/** One for all, as the factory's. */
		@Override
		public void close(Duration timeout) {
		}

	};

	private final FakeRecentOrders recent = new FakeRecentOrders();

	private boolean topicsReady = true;

	private QueuePolicy policy;

	private Function<ValidOrder, CompletionStage<OrderView>> queue;

	@AfterEach
	void close() {
		this.policy.destroy();
	}

	@Test
	void acceptsWhenKafkaHasAcknowledgedAndNotBefore() {
		open(LONG, 10);
		CompletableFuture<OrderView> accepted = enqueue();
		await().until(() -> this.producer.history().size() == 1);
		assertThat(accepted).isNotDone();

		this.producer.completeNext();

		assertThat(accepted).succeedsWithin(PATIENCE).isEqualTo(OrderReply.accepted(ID));
		assertThat(this.recent.acceptance(ID)).isNotNull();
	}

	@Test
	void saysThatKafkaFailed() {
		open(LONG, 10);
		CompletableFuture<OrderView> accepted = enqueue();
		await().until(() -> this.producer.history().size() == 1);

		this.producer.errorNext(new TimeoutException("expired"));

		assertProblem(accepted, ProblemType.QUEUE_UNAVAILABLE, Placed.UNKNOWN);
	}

	@Test
	void saysThatTheProducerTookNothing() {
		open(LONG, 10);
		this.producer.sendException = new TimeoutException("no metadata");

		assertProblem(enqueue(), ProblemType.QUEUE_UNAVAILABLE, Placed.NO);
	}

	@Test
	void waitsNoLongerThanItsTimeout() {
		open(Duration.ofMillis(50), 10);

		ProblemException problem = problem(enqueue());

		assertThat(problem.type()).isEqualTo(ProblemType.QUEUE_UNAVAILABLE);
		// On a busy machine the time may be over before a thread sends the order.
		int sent = (problem.placed() == Placed.NO) ? 0 : 1;
		await().until(() -> this.producer.history().size() == sent);
	}

	@Test
	void refusesAtOnceWhatExceedsTheBulkhead() {
		open(LONG, 1);
		CompletableFuture<OrderView> first = enqueue();
		await().until(() -> this.producer.history().size() == 1);

		assertProblem(enqueue(), ProblemType.OVERLOADED, Placed.NO);
		await().until(this.producer::completeNext);
		assertThat(first).succeedsWithin(PATIENCE);
	}

	@Test
	void leavesAKafkaAloneThatFails() {
		open(LONG, 10);
		this.producer.sendException = new TimeoutException("no metadata");
		assertProblem(enqueue(), ProblemType.QUEUE_UNAVAILABLE, Placed.NO);
		assertProblem(enqueue(), ProblemType.QUEUE_UNAVAILABLE, Placed.NO);
		assertThat(this.policy.circuit().getMetrics().getNumberOfFailedCalls()).isEqualTo(2);
		this.policy.circuit().transitionToForcedOpenState();
		this.producer.sendException = null;

		assertProblem(enqueue(), ProblemType.QUEUE_UNAVAILABLE, Placed.NO);
		assertThat(this.policy.accepts()).isFalse();
		assertThat(this.producer.history()).isEmpty();
	}

	@Test
	void refusesUntilTheTopicsAreThere() {
		open(LONG, 10);
		this.topicsReady = false;

		assertProblem(enqueue(), ProblemType.QUEUE_UNAVAILABLE, Placed.NO);
		assertThat(this.policy.accepts()).isFalse();
		this.topicsReady = true;
		assertThat(this.policy.accepts()).isTrue();
		assertThat(this.producer.history()).isEmpty();
	}

	private static void assertProblem(CompletableFuture<?> accepted, ProblemType type, Placed placed) {
		ProblemException problem = problem(accepted);
		assertThat(problem.type()).isEqualTo(type);
		assertThat(problem.placed()).isEqualTo(placed);
	}

	private static ProblemException problem(CompletableFuture<?> accepted) {
		CompletionException failure = catchThrowableOfType(CompletionException.class,
				() -> accepted.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join());
		assertThat(failure.getCause()).isInstanceOf(ProblemException.class);
		return (ProblemException) failure.getCause();
	}

	private CompletableFuture<OrderView> enqueue() {
		return CompletableFuture.completedFuture(ORDER).thenCompose(this.queue);
	}

	/**
	 * A queue: each call of the function enqueues an order and may hold a thread of its
	 * own.
	 */
	protected abstract Function<ValidOrder, CompletionStage<OrderView>> queue(QueuePolicy policy,
			KafkaTemplate<String, byte[]> kafka);

	private void open(Duration timeout, int maxInFlight) {
		QueueProperties properties = new QueueProperties(timeout, maxInFlight, 12, (short) 1, 0);
		KafkaTemplate<String, byte[]> kafka = new KafkaTemplate<>(() -> this.producer);
		kafka.setProducerListener(new ProducerListener<>() {
		});
		OrderTopics topics = new OrderTopics(properties, new KafkaAdmin(Map.of()), kafka) {

			@Override
			public boolean ready() {
				return OrderQueueContract.this.topicsReady;
			}

		};
		this.policy = new QueuePolicy(properties, topics, this.recent, BulkheadRegistry.ofDefaults(),
				CircuitBreakerRegistry.ofDefaults(),
				new MockEnvironment().withProperty("spring.application.name", "gateway"));
		this.queue = queue(this.policy, kafka);
	}

}
