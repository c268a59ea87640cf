package dev.sluice.topics;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import dev.sluice.contract.Topics;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.SharedKafka;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Tag("embedded")
@ResourceLock(value = SharedKafka.LOCK, mode = ResourceAccessMode.READ)
class TopicWatchIT {

	private final String name = "topic-" + UUID.randomUUID();

	private final NewTopic spec = TopicSpecs.of(this.name, 3, (short) 1, 0, Map.of("retention.ms", "-1"));

	private final AtomicInteger preparations = new AtomicInteger();

	private volatile Runnable prepare = () -> {
	};

	private final AtomicInteger creations = new AtomicInteger();

	private Map<String, Object> client;

	private Admin admin;

	private TopicWatch watch;

	@BeforeEach
	void connect() {
		this.client = Map.of("bootstrap.servers", DevServices.shared().kafka().bootstrapServers());
		this.admin = Admin.create(this.client);
	}

	@AfterEach
	void close() throws Exception {
		if (this.watch != null) {
			this.watch.close();
		}
		if (this.admin == null) {
			return;
		}
		if (this.admin.listTopics().names().get().contains(this.name)) {
			this.admin.deleteTopics(List.of(this.name)).all().get();
		}
		this.admin.close();
	}

	@Test
	void createsAMissingTopicAsSpecified() throws Exception {
		start(true);

		Map<String, Uuid> ids = this.watch.await();

		assertThat(topic().partitions()).hasSize(3);
		assertThat(config("retention.ms")).isEqualTo("-1");
		assertThat(config("min.insync.replicas")).isEqualTo("1");
		assertThat(ids).containsExactly(Map.entry(this.name, topic().topicId()));
		assertThat(this.watch.state().differences()).isEmpty();
		assertThat(this.preparations).hasValue(1);
		takesRecordsOfAClockThatIsAhead();
	}

	private void takesRecordsOfAClockThatIsAhead() throws Exception {
		long ahead = Instant.now().plus(Duration.ofMinutes(67)).toEpochMilli();
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(this.client, new ByteArraySerializer(),
				new ByteArraySerializer())) {
			producer.send(new ProducerRecord<>(this.name, null, ahead, null, new byte[1])).get();
		}
	}

	@Test
	void createsADeletedTopicAgainAndPreparesForIt() throws Exception {
		start(true);
		Uuid before = this.watch.await().get(this.name);

		this.admin.deleteTopics(List.of(this.name)).all().get();

		await().until(() -> this.watch.ready() && !before.equals(this.watch.state().ids().get(this.name)));
		assertThat(topic().topicId()).isEqualTo(this.watch.state().ids().get(this.name));
		assertThat(topic().partitions()).hasSize(3);
		assertThat(this.preparations).hasValue(2);
	}

	@Test
	void isNotReachedBeforeItIsPrepared() throws Exception {
		this.prepare = () -> {
			throw new TimeoutException("no metadata");
		};
		start(true);
		await().until(() -> this.watch.state().missing().isEmpty() && this.watch.state().problem() != null
				&& this.watch.state().ids().containsKey(this.name));
		assertThat(this.watch.ready()).isFalse();
		assertThat(this.watch.reached()).isFalse();
		assertThat(this.watch.ids()).isEmpty();

		this.prepare = () -> {
		};

		assertThat(this.watch.await()).isEqualTo(this.watch.ids());
		assertThat(this.watch.reached()).isTrue();
	}

	/** Its offsets start at zero again, and a producer must fetch its metadata again. */
	@Test
	void preparesForATopicThatSomebodyElseMadeAgainBetweenTwoLooks() throws Exception {
		start(true);
		Uuid before = this.watch.await().get(this.name);

		this.admin.deleteTopics(List.of(this.name)).all().get();
		await().ignoreExceptionsInstanceOf(ExecutionException.class)
			.until(() -> this.admin.createTopics(List.of(this.spec)).all().get() == null);

		await().until(() -> this.watch.ready() && !before.equals(this.watch.state().ids().get(this.name)));
		assertThat(this.preparations).hasValue(2);
	}

	@Test
	void isNotReadyWhileATopicIsMissing() throws Exception {
		this.admin.createTopics(List.of(this.spec)).all().get();
		start(false);
		this.watch.await();

		this.admin.deleteTopics(List.of(this.name)).all().get();

		await().until(() -> !this.watch.ready());
		await().until(() -> this.watch.state().problem() != null);
		assertThat(this.watch.state().missing()).containsExactly(this.name);
		assertThat(this.watch.reached()).isTrue();
	}

	@Test
	void saysWhatDiffersAndGoesOn() throws Exception {
		this.admin
			.createTopics(List.of(new NewTopic(this.name, 2, (short) 1).configs(Map.of("retention.ms", "604800000"))))
			.all()
			.get();
		start(TopicSpecs.of(this.name, 3, (short) 3, 0, Map.of("retention.ms", "-1")), UnaryOperator.identity());

		this.watch.await();

		TopicWatch.State state = this.watch.state();
		assertThat(state.differences()).extracting((difference) -> difference.replaceFirst(":.*", ""))
			.containsExactlyInAnyOrder("topic %s has partitions 2 and should have 3".formatted(this.name),
					"topic %s has replication.factor 1 and should have 3".formatted(this.name),
					"topic %s has min.insync.replicas 1 and should have 2".formatted(this.name),
					"topic %s has message.timestamp.type CreateTime and should have LogAppendTime".formatted(this.name),
					"topic %s has retention.ms 604800000 and should have -1".formatted(this.name));
		assertThat(this.watch.details().toString())
			.contains("kafka-configs.sh --alter --topic " + this.name + " --add-config retention.ms=-1");
		assertThat(topic().partitions()).hasSize(2);
	}

	@Test
	void needsNoRightToCreateTopicsThatExist() throws Exception {
		this.admin.createTopics(List.of(this.spec)).all().get();
		start(false);

		this.watch.await();

		assertThat(this.creations).hasValue(0);
	}

	@Test
	void saysWhichRightIsMissing() {
		start(false);

		String problem = "Topic %s is missing and this service may not create it: create it, or grant CREATE on it"
			.formatted(this.name);
		await().until(() -> problem.equals(this.watch.state().problem()) && this.creations.get() > 1);
		assertThat(this.watch.ready()).isFalse();
	}

	/** A producer that is faster may never get its first batch acknowledged. */
	@Test
	@SuppressWarnings("unchecked")
	void isNotReadyBeforeEveryPartitionHasALeaderThatServesIt() throws Exception {
		AtomicBoolean served = new AtomicBoolean();
		start(this.spec, (real) -> answering(real, "listOffsets", (arguments) -> {
			Map<TopicPartition, ?> asked = (Map<TopicPartition, ?>) arguments[0];
			return served.get() ? null
					: new ListOffsetsResult(Map.of(
							asked.keySet().stream().max(Comparator.comparing(TopicPartition::partition)).orElseThrow(),
							failed(new LeaderNotAvailableException("none yet"))));
		}));

		await().until(() -> this.watch.state().ids().containsKey(this.name));
		await().until(() -> this.watch.state().problem() != null);
		assertThat(this.watch.ready()).isFalse();
		assertThat(this.preparations).hasValue(0);

		served.set(true);

		this.watch.await();
		assertThat(this.preparations).hasValue(1);
	}

	@Test
	void orderTopicsKeepWhatIsNotDelivered() {
		Map<String, NewTopic> specs = TopicSpecs.orders(12, (short) 3, 0)
			.stream()
			.collect(Collectors.toMap(NewTopic::name, (topic) -> topic));

		assertThat(specs.get(Topics.ORDERS).configs()).containsEntry("retention.ms", "-1")
			.containsEntry("retention.bytes", "-1")
			.containsEntry("min.insync.replicas", "2");
		assertThat(specs.get(Topics.ORDER_OUTCOMES).configs()).containsEntry("cleanup.policy", "compact");
		assertThat(specs.get(Topics.ORDERS_DLT).configs()).containsEntry("retention.ms", "-1");
	}

	private void start(boolean mayCreate) {
		start(this.spec, (real) -> mayCreate ? real : withoutCreate(real));
	}

	private void start(NewTopic wanted, UnaryOperator<Admin> wrapper) {
		this.watch = new TopicWatch(List.of(wanted), this.client) {

			@Override
			protected void prepare() {
				TopicWatchIT.this.prepare.run();
				TopicWatchIT.this.preparations.incrementAndGet();
			}

			@Override
			protected Admin connect(Map<String, Object> config) {
				return wrapper.apply(super.connect(config));
			}

		};
		this.watch.start();
	}

	/** A client of a user without permission to create topics. */
	private Admin withoutCreate(Admin real) {
		return answering(real, "createTopics", (_) -> {
			this.creations.incrementAndGet();
			return new CreateTopicsResult(
					Map.of(this.name, failed(new TopicAuthorizationException("Authorization failed.")))) {
			};
		});
	}

	/**
	 * A client that answers calls of one method itself. A call that it has no answer for
	 * goes to Kafka.
	 */
	private static Admin answering(Admin real, String name, Function<Object[], Object> answer) {
		return (Admin) Proxy.newProxyInstance(Admin.class.getClassLoader(), new Class<?>[] { Admin.class },
				(_, method, arguments) -> {
					Object own = method.getName().equals(name) ? answer.apply(arguments) : null;
					if (own != null) {
						return own;
					}
					try {
						return method.invoke(real, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private static <T> KafkaFuture<T> failed(Exception failure) {
		KafkaFutureImpl<T> future = new KafkaFutureImpl<>();
		future.completeExceptionally(failure);
		return future;
	}

	private TopicDescription topic() throws Exception {
		return this.admin.describeTopics(List.of(this.name)).allTopicNames().get().get(this.name);
	}

	private String config(String key) throws Exception {
		ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, this.name);
		return this.admin.describeConfigs(List.of(resource)).all().get().get(resource).get(key).value();
	}

}
