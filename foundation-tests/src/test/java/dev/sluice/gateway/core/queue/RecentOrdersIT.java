package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sluice.contract.Order;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.KafkaService;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.SharedKafka;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Injects faults into the Kafka that all tests share. */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("embedded")
@ResourceLock(SharedKafka.LOCK)
class RecentOrdersIT {

	private static final Order ORDER = new Order("c-1", null, null);

	private static final byte[] JSON = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00.123456Z");

	/** Kafka counts as lost when it has not answered for this long. */
	private static final Duration LOST = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private static final List<String> TOPICS = List.of(Topics.ORDERS, Topics.ORDER_OUTCOMES, Topics.ORDERS_DLT);

	private KafkaService server;

	private Map<String, Object> config;

	private Admin admin;

	private DefaultKafkaProducerFactory<String, byte[]> producers;

	private KafkaTemplate<String, byte[]> kafka;

	private String group;

	private OrderTopics topics;

	private RecentOrders orders;

	/** When it was started, or last asked. */
	private long currentNanos;

	@BeforeAll
	void connect() {
		this.server = DevServices.shared().kafka();
		this.config = Map.of("bootstrap.servers", this.server.bootstrapServers());
		this.admin = Admin.create(this.config);
		this.producers = new DefaultKafkaProducerFactory<>(this.config, new StringSerializer(),
				new ByteArraySerializer());
		this.kafka = new KafkaTemplate<>(this.producers);
	}

	@BeforeEach
	void createTopics() {
		this.group = "group-" + UUID.randomUUID();
		this.topics = new OrderTopics(new QueueProperties(Duration.ofSeconds(1), 1, 3, (short) 1, 0),
				new KafkaAdmin(this.config), this.kafka);
		this.topics.afterPropertiesSet();
		await().until(this.topics::ready);
	}

	@AfterEach
	void deleteTopics() throws Exception {
		if (this.orders != null) {
			this.orders.stop();
			this.orders = null;
		}
		this.topics.close();
		delete();
		await().until(() -> this.admin.listTopics().names().get().stream().noneMatch(TOPICS::contains));
	}

	@AfterAll
	void close() {
		if (this.producers != null) {
			this.producers.destroy();
			this.admin.close();
		}
	}

	@Test
	void knowsWhatWasAcceptedBeforeItStartedAndWhileItRuns() {
		UUID before = UUID.randomUUID();
		RecordMetadata record = send(before, JSON, TIME);
		start();

		assertCurrent();

		assertThat(this.orders.acceptance(before)).isEqualTo(new RecentRecord(before, null, TIME, record.offset()));
		for (int i = 0; i < 20; i++) {
			UUID id = UUID.randomUUID();
			send(id, JSON, TIME);
			assertCurrent();
			assertThat(this.orders.acceptance(id)).isNotNull();
		}
		assertThat(this.orders.acceptance(UUID.randomUUID())).isNull();
	}

	@Test
	void beginsWhereTheProjectionIsAndKnowsWhatItHasToReadAgain() throws Exception {
		UUID projected = UUID.randomUUID();
		UUID pending = UUID.randomUUID();
		RecordMetadata record = send(projected, JSON, TIME);
		commit(record);
		send(pending, JSON, TIME);
		start();
		assertCurrent();
		assertThat(this.orders.acceptance(projected)).isNull();
		assertThat(this.orders.acceptance(pending)).isNotNull();

		this.admin.alterConsumerGroupOffsets(this.group, Map.of(partition(record), new OffsetAndMetadata(0)))
			.all()
			.get();

		await().until(() -> this.orders.acceptance(projected) != null);
	}

	@Test
	void readsATopicThatWasMadeAgainFromItsStart() throws Exception {
		UUID before = UUID.randomUUID();
		for (int i = 0; i < 5; i++) {
			send(before, JSON, TIME);
		}
		start();
		assertCurrent();

		delete();
		UUID after = UUID.randomUUID();
		await().ignoreExceptions().until(() -> send(after, JSON, TIME) != null);

		await().until(() -> this.orders.acceptance(after) != null);
		await().until(() -> caughtUp() == Reading.CURRENT);
		assertThat(this.orders.acceptance(before)).isNull();
	}

	@Test
	void readsPartitionsThatAreAdded() throws Exception {
		start();
		assertCurrent();

		this.admin.createPartitions(Map.of(Topics.ORDERS, NewPartitions.increaseTo(4))).all().get();

		UUID id = UUID.randomUUID();
		await().ignoreExceptions().until(() -> this.kafka.send(Topics.ORDERS, 3, "c-1", JSON).get() != null);
		await().until(() -> {
			PendingSend sending = sending(id, JSON, TIME);
			sending.send(this.kafka);
			sending.acknowledgement().get();
			return this.orders.acceptance(id) != null;
		});
		await().until(() -> caughtUp() == Reading.CURRENT);
	}

	@Test
	void saysThatKafkaIsLostAndGoesOnWhenItIsBack() {
		Breakable broker = this.server.brokers().getFirst();
		start();
		assertCurrent();

		broker.freeze();
		try {
			await().until(() -> this.orders.caughtUp(Duration.ofMillis(100)).join() == Reading.UNREACHABLE);
		}
		finally {
			broker.unfreeze();
		}

		await().until(() -> caughtUp() == Reading.CURRENT);
		broker.kill();
		broker.start();
		UUID id = UUID.randomUUID();
		await().ignoreExceptions().until(() -> send(id, JSON, TIME) != null);
		await().until(() -> caughtUp() == Reading.CURRENT);
		assertThat(this.orders.acceptance(id)).isNotNull();
	}

	private void start() {
		this.orders = new RecentOrders(
				new StatusProperties(Duration.ofSeconds(1), 1_000, this.group, Duration.ofSeconds(1)), this.topics,
				new DefaultKafkaConsumerFactory<>(this.config), new KafkaAdmin(this.config), JsonMapper.shared(),
				new SimpleMeterRegistry(), new Supervisor((_) -> {
				}));
		this.currentNanos = System.nanoTime();
		this.orders.start();
	}

	/**
	 * It is current, and answers so the first time. Only if it, or Kafka, stood still for
	 * so long that Kafka counts as lost, it is asked again, as by a client.
	 */
	private void assertCurrent() {
		AtomicBoolean excused = new AtomicBoolean();
		await().until(() -> {
			Reading reading = this.orders.caughtUp(PATIENCE).get();
			long now = System.nanoTime();
			if (reading != Reading.CURRENT && !excused.getAndSet(true)) {
				assertThat(Duration.ofNanos(now - this.currentNanos)).as("the time in which it became %s", reading)
					.isGreaterThanOrEqualTo(LOST);
			}
			this.currentNanos = now;
			return reading == Reading.CURRENT;
		});
	}

	private Reading caughtUp() {
		return await().until(() -> this.orders.caughtUp(PATIENCE).get(), (reading) -> reading != Reading.UNREACHABLE);
	}

	private void delete() throws Exception {
		for (var deletion : this.admin.deleteTopics(TOPICS).topicNameValues().values()) {
			deletion.toCompletionStage().handle((_, _) -> true).toCompletableFuture().get();
		}
	}

	private void commit(RecordMetadata record) throws Exception {
		this.admin
			.alterConsumerGroupOffsets(this.group,
					Map.of(partition(record), new OffsetAndMetadata(record.offset() + 1)))
			.all()
			.get();
	}

	private static TopicPartition partition(RecordMetadata record) {
		return new TopicPartition(record.topic(), record.partition());
	}

	private RecordMetadata send(UUID id, byte[] json, Instant acceptedAt) {
		PendingSend sending = sending(id, json, acceptedAt);
		sending.send(this.kafka);
		return sending.acknowledgement().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

	private static PendingSend sending(UUID id, byte[] json, Instant acceptedAt) {
		return new PendingSend(new ValidOrder(id, ORDER, json, null, null), acceptedAt,
				"/test".getBytes(StandardCharsets.UTF_8));
	}

}
