package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;

import dev.sluice.contract.Order;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderReply;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class QueuePolicyTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-7000-8000-000000000001");

	private final MockProducer<String, byte[]> producer = new MockProducer<>(false, null, new StringSerializer(),
			new ByteArraySerializer());

	private final KafkaTemplate<String, byte[]> kafka = new KafkaTemplate<>(() -> this.producer);

	private final FakeRecentOrders recent = new FakeRecentOrders();

	/** One order at once. */
	private final QueueProperties properties = new QueueProperties(Duration.ofMillis(1_700), 1, 1, (short) 1, 0);

	private final QueuePolicy policy = new QueuePolicy(this.properties, topics(), this.recent,
			BulkheadRegistry.ofDefaults(), CircuitBreakerRegistry.ofDefaults(),
			new MockEnvironment().withProperty("spring.application.name", "gateway"));

	private final HealthIndicator health = HealthConfiguration.queueHealthIndicator(this.policy);

	@Test
	void acceptsNothingWhileTheCircuitIsOpen() {
		this.policy.circuit().transitionToOpenState();

		assertThat(this.policy.accepts()).isFalse();
		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void acceptsNothingAfterAFailureUntilKafkaAcknowledges() {
		this.policy.problem(sent(), new TimeoutException("no acknowledgement"));
		assertThat(this.policy.accepts()).isFalse();
		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);

		acknowledge(prepare());

		assertThat(this.policy.accepts()).isTrue();
		assertThat(this.health.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aRefusalOfItsOwnIsNoFailureOfKafka() {
		this.policy.problem(prepare(), BulkheadFullException.createBulkheadFullException(this.policy.bulkhead()));
		this.policy.problem(prepare(), new RejectedExecutionException());
		this.policy.problem(prepare(),
				CallNotPermittedException.createCallNotPermittedException(this.policy.circuit()));

		assertThat(this.policy.accepts()).isTrue();
	}

	@Test
	void saysWhyAnOrderWasNotTakenAndWhetherItMayHaveBeen() {
		assertProblem(prepare(), BulkheadFullException.createBulkheadFullException(this.policy.bulkhead()),
				ProblemType.OVERLOADED, Placed.NO);
		assertProblem(prepare(), new RejectedExecutionException(), ProblemType.OVERLOADED, Placed.NO);
		assertProblem(prepare(), CallNotPermittedException.createCallNotPermittedException(this.policy.circuit()),
				ProblemType.QUEUE_UNAVAILABLE, Placed.NO);
		assertProblem(prepare(), new TimeoutException("not sent"), ProblemType.QUEUE_UNAVAILABLE, Placed.NO);
		assertProblem(sent(), new TimeoutException("no acknowledgement"), ProblemType.QUEUE_UNAVAILABLE,
				Placed.UNKNOWN);
	}

	@Test
	void logsOnceThatKafkaRefusesOrders(CapturedOutput output) {
		this.policy.problem(sent(), new InvalidTimestampException("ahead"));
		this.policy.problem(sent(), new InvalidTimestampException("ahead"));

		assertThat(output).containsOnlyOnce("Kafka refuses orders: " + InvalidTimestampException.class.getName());
	}

	@Test
	void doesNotTakeABugForAFailureOfKafka() {
		assertProblem(prepare(), new IllegalArgumentException("bad record"), ProblemType.INTERNAL, Placed.NO);
		assertProblem(sent(), new NullPointerException(), ProblemType.INTERNAL, Placed.UNKNOWN);

		assertThat(this.policy.accepts()).isTrue();
	}

	@Test
	void aGatewayKnowsAnOrderOnceKafkaHasIt() {
		PendingSend send = prepare();

		acknowledge(send);

		assertThat(this.recent.acceptance(ID).first()).isEqualTo(send.acceptedAt());
		assertThat(send.acceptedAt().getNano() % 1_000).as("as PostgreSQL keeps it").isZero();
	}

	private void assertProblem(PendingSend send, Exception failure, ProblemType type, Placed placed) {
		ProblemException problem = this.policy.problem(send, failure);

		assertThat(problem.type()).isEqualTo(type);
		assertThat(problem.placed()).isEqualTo(placed);
	}

	private PendingSend prepare() {
		return this.policy.prepare(new ValidOrder(ID, new Order("c-1", null, null), new byte[0], null, null));
	}

	private PendingSend sent() {
		PendingSend send = prepare();
		send.send(this.kafka);
		return send;
	}

	private void acknowledge(PendingSend send) {
		assertThat(
				this.policy.acknowledged(send, new RecordMetadata(new TopicPartition(Topics.ORDERS, 0), 7, 0, 0, 0, 0)))
			.isEqualTo(OrderReply.accepted(ID));
	}

	private OrderTopics topics() {
		return new OrderTopics(this.properties, new KafkaAdmin(Map.of()), this.kafka) {

			@Override
			public boolean ready() {
				return true;
			}

		};
	}

}
