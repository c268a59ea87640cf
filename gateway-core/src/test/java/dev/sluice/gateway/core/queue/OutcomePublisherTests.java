package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.ProducerListener;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class OutcomePublisherTests {

	private static final UUID ID = UUID.fromString("019ab000-0000-8000-8000-000000000001");

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00.123456Z");

	private static final Fingerprint FINGERPRINT = new Fingerprint("01");

	private final MockProducer<String, byte[]> producer = new MockProducer<>(false, null, new StringSerializer(),
			new ByteArraySerializer()) {

		@Override
		public Future<RecordMetadata> send(ProducerRecord<String, byte[]> record, Callback callback) {
			TimeoutException refusal = OutcomePublisherTests.this.refusal;
			return (refusal != null) ? CompletableFuture.failedFuture(refusal) : super.send(record, callback);
		}

		/** One for all, as the factory's. */
		@Override
		public void close(Duration timeout) {
		}

	};

	private @Nullable TimeoutException refusal;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final KafkaTemplate<String, byte[]> kafka = kafka();

	private final RecentOrders accepted = new RecentOrders(
			new StatusProperties(Duration.ofSeconds(1), 10, "group", Duration.ofSeconds(1)), Map::of, () -> null,
			() -> null, JsonMapper.shared(), this.meters, new Supervisor((_) -> {
			}), Duration.ZERO);

	private boolean topicsReady = true;

	private final OutcomePublisher outcomes = new OutcomePublisher(queue(), this.kafka, topics(), this.accepted,
			JsonMapper.shared(), this.meters);

	@AfterEach
	void close() throws InterruptedException {
		this.outcomes.destroy();
	}

	/** Its own outcome may be lost. It is no save of this gateway. */
	@Test
	void publishesThatTheBackendHasAnotherOrder() {
		OrderRequest request = new OrderRequest(
				new ValidOrder(ID, new Order("c-1", null, null), new byte[0], FINGERPRINT, null),
				new IdempotencyKey("k"), null);

		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> this.outcomes.publish(request, new BackendResult.Conflict()))
			.satisfies((problem) -> assertThat(problem.type()).isEqualTo(ProblemType.KEY_REUSED));

		await().until(this.producer::completeNext);
		assertThat(this.producer.history()).singleElement().satisfies((outcome) -> {
			assertThat(outcome.key()).isEqualTo(ID + "/conflict");
			assertThat(new String(outcome.value(), StandardCharsets.UTF_8)).contains("\"status\":\"saved\"",
					"\"conflict\":\"01\"");
		});
		assertThat(this.accepted.syncSave(ID)).isNull();
	}

	@Test
	void isKnownHereBeforeKafkaHasIt() {
		publish(ID);

		assertThat(this.accepted.syncSave(ID).fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(this.accepted.syncSave(ID).first()).isEqualTo(TIME);
	}

	@Test
	void losesAndCountsWhatKafkaDoesNotTake() {
		publish(ID);
		await().until(() -> this.producer.errorNext(new TimeoutException("expired")));

		await().until(() -> lost() == 1);
		assertThat(this.accepted.syncSave(ID)).isNull();
	}

	@Test
	void losesAndCountsWhatExceedsItsBound() {
		List<UUID> ids = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 3; i++) {
			ids.add(UUID.randomUUID());
			publish(ids.getLast());
		}

		assertThat(lost()).isEqualTo(1);
		assertThat(this.accepted.syncSave(ids.getLast())).isNull();
		await().until(this.producer::completeNext);
		publish(ID);
		assertThat(lost()).isEqualTo(1);
	}

	@Test
	void losesAndCountsEverythingWhileTheTopicsAreNotThere() {
		this.topicsReady = false;

		publish(ID);

		assertThat(lost()).isEqualTo(1);
		assertThat(this.producer.history()).isEmpty();
	}

	@Test
	void losesAndCountsWhatTheProducerRefuses() {
		this.producer.sendException = new IllegalStateException("closed");

		publish(ID);

		await().until(() -> lost() == 1);
		assertThat(this.accepted.syncSave(ID)).isNull();
	}

	/** The producer does not know the topic's partitions, as when it is first used. */
	@Test
	void takesAProducerWithoutABrokerForNoBug(CapturedOutput output) {
		this.refusal = new TimeoutException("Topic order-outcomes not present in metadata after 400 ms");

		publish(ID);

		await().until(() -> lost() == 1);
		assertThat(this.accepted.syncSave(ID)).isNull();
		assertThat(output.getAll()).doesNotContain("because of a bug");
	}

	@Test
	void losesAndCountsWhatComesAfterItsEnd() throws InterruptedException {
		this.outcomes.destroy();

		publish(ID);

		assertThat(lost()).isEqualTo(1);
		assertThat(this.accepted.syncSave(ID)).isNull();
	}

	@Test
	void handsOverWhatIsLeftBeforeItEnds() throws InterruptedException {
		publish(ID);
		publish(UUID.randomUUID());

		this.outcomes.destroy();

		assertThat(this.producer.history()).hasSize(2);
	}

	/** The place of each that failed is free again. */
	@Test
	void goesOnAfterFailures() {
		for (int i = 0; i < 3; i++) {
			publish(UUID.randomUUID());
			await().until(() -> this.producer.errorNext(new TimeoutException("expired")));
		}

		await().until(() -> lost() == 3);
		publish(ID);

		await().until(this.producer::completeNext);
		assertThat(lost()).isEqualTo(3);
	}

	/** Of a partition that is not read, nothing would be forgotten later. */
	@Test
	void forgetsWhatKafkaHasAndItDoesNotRead() {
		publish(ID);
		assertThat(this.accepted.syncSave(ID)).isNotNull();

		await().until(this.producer::completeNext);

		await().until(() -> this.accepted.syncSave(ID) == null);
		assertThat(lost()).isZero();
	}

	private void publish(UUID id) {
		this.outcomes.publish(OrderOutcome.savedSync(id, "c-1", TIME, FINGERPRINT));
	}

	private double lost() {
		return this.meters.get(GatewayMetric.OUTCOMES_LOST.metricName()).counter().count();
	}

	private KafkaTemplate<String, byte[]> kafka() {
		KafkaTemplate<String, byte[]> template = new KafkaTemplate<>(() -> this.producer);
		template.setProducerListener(new ProducerListener<>() {
		});
		return template;
	}

	private OrderTopics topics() {
		return new OrderTopics(queue(), new KafkaAdmin(Map.of()), this.kafka) {

			@Override
			public boolean ready() {
				return OutcomePublisherTests.this.topicsReady;
			}

		};
	}

	/** At most two outcomes in flight. */
	private static QueueProperties queue() {
		return new QueueProperties(Duration.ofSeconds(1), 2, 1, (short) 1, 0);
	}

}
