package dev.sluice.consumer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Ports;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an integration test needs around a consumer: a Kafka of the JVM's, with fresh
 * topics for each test, and the real backend in a process of its own.
 */
public final class ConsumerHarness implements AutoCloseable {

	private static final Path BACKEND = Path.of("../backend-mock/target/backend-mock.jar");

	private static final Duration START = Duration.ofSeconds(60);

	private final JsonMapper json = JsonMapper.builder().build();

	private final HttpClient http = HttpClient.newHttpClient();

	private final String bootstrap = DevServices.shared().kafka().bootstrapServers();

	/**
	 * Of each test's own: one that has seen topics deleted is slow to believe in new
	 * ones.
	 */
	private KafkaProducer<byte[], byte[]> producer = producer();

	private final int backendPort = Ports.free();

	private final JavaProcess backend = JavaProcess.jar(BACKEND)
		.args("--server.port=" + this.backendPort)
		.jvmArgs("-Xmx256m")
		.logFile(Path.of("target/backend-mock-" + this.backendPort + ".log"))
		.readyWhen(URI.create("http://127.0.0.1:" + this.backendPort + "/actuator/health/readiness"), START)
		.start();

	private final List<ConfigurableApplicationContext> consumers = new ArrayList<>();

	private KafkaProducer<byte[], byte[]> producer() {
		return new KafkaProducer<>(Map.of("bootstrap.servers", this.bootstrap, "acks", "all"),
				new ByteArraySerializer(), new ByteArraySerializer());
	}

	/** A consumer in this JVM, beside others. Closing it is a graceful stop. */
	public ConfigurableApplicationContext startConsumer(String... properties) {
		ConfigurableApplicationContext consumer = new SpringApplicationBuilder(OrderConsumerApplication.class)
			.run(arguments(properties));
		this.consumers.add(consumer);
		return consumer;
	}

	/** A consumer in a process of its own, to be killed. */
	public JavaProcess startConsumerProcess(String... properties) {
		int port = Ports.free();
		return JavaProcess.mainClass(OrderConsumerApplication.class.getName())
			.args(arguments(properties))
			.args("--server.port=" + port)
			.jvmArgs("-Xmx256m")
			.logFile(Path.of("target/order-consumer-" + port + ".log"))
			.readyWhen(URI.create("http://127.0.0.1:" + port + "/actuator/health/liveness"), START)
			.start();
	}

	private String[] arguments(String... properties) {
		return Stream
			.concat(Stream.of("server.port=0", "projection.enabled=false",
					"spring.kafka.bootstrap-servers=" + this.bootstrap, "backend.url=" + backendUrl(),
					"backend.circuit.open-for=200ms", "delivery.initial-backoff=50ms", "delivery.max-backoff=500ms",
					"delivery.commit-interval=100ms", "spring.kafka.consumer.properties.session.timeout.ms=6000",
					"spring.kafka.consumer.properties.heartbeat.interval.ms=1000"), Arrays.stream(properties))
			.map((property) -> "--" + property)
			.toArray(String[]::new);
	}

	public String backendUrl() {
		return "http://127.0.0.1:" + this.backendPort;
	}

	/** Empty topics, a group that knows nothing, and a backend as new. */
	public void reset(int partitions) throws Exception {
		stopConsumers();
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", this.bootstrap))) {
			Set<String> all = Set.of(Topics.ORDERS, Topics.ORDER_OUTCOMES, Topics.ORDERS_DLT);
			Set<String> there = new java.util.HashSet<>(admin.listTopics().names().get());
			there.retainAll(all);
			admin.deleteTopics(there).all().get();
			List<String> groups = admin.listGroups().all().get().stream().map((group) -> group.groupId()).toList();
			admin.deleteConsumerGroups(groups).all().get();
			org.awaitility.Awaitility.await().ignoreExceptionsInstanceOf(ExecutionException.class).until(() -> {
				admin.createTopics(all.stream().map((name) -> new NewTopic(name, partitions, (short) 1)).toList())
					.all()
					.get();
				return true;
			});
		}
		this.producer.close();
		this.producer = producer();
		behave(BackendBehaviour.DEFAULT);
		request("DELETE", "/audit", null);
	}

	public void behave(BackendBehaviour behaviour) throws IOException, InterruptedException {
		request("PUT", "/behaviour", this.json.writeValueAsString(behaviour));
	}

	public BackendAudit audit() throws IOException, InterruptedException {
		return this.json.readValue(request("GET", "/audit", null), BackendAudit.class);
	}

	private String request(String method, String path, String body) throws IOException, InterruptedException {
		HttpResponse<String> response = this.http.send(HttpRequest.newBuilder(URI.create(backendUrl() + path))
			.header("Content-Type", "application/json")
			.method(method, (body != null) ? BodyPublishers.ofString(body) : BodyPublishers.noBody())
			.build(), BodyHandlers.ofString());
		if (response.statusCode() >= 300) {
			throw new IOException(method + " " + path + ": " + response.statusCode() + " " + response.body());
		}
		return response.body();
	}

	/** Good orders of many customers. */
	public List<UUID> enqueue(int orders) {
		List<UUID> ids = IntStream.range(0, orders).mapToObj((i) -> UUID.randomUUID()).toList();
		for (int i = 0; i < orders; i++) {
			String customer = "c-" + i % 50;
			enqueue(ids.get(i), customer,
					"""
							{"customerId":"%s","items":[{"sku":"s","quantity":1,"unitPrice":{"amount":"1.50","currency":"EUR"}}]}"""
						.formatted(customer));
		}
		this.producer.flush();
		return ids;
	}

	public void enqueue(UUID id, String customerId, String body) {
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(Topics.ORDERS, bytes(customerId), bytes(body));
		record.headers()
			.add(OrderHeaders.ID, bytes(id.toString()))
			.add(OrderHeaders.TYPE, bytes(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, bytes(Instant.now().toString()));
		this.producer.send(record);
	}

	public void publish(OrderOutcome outcome) {
		this.producer.send(new ProducerRecord<>(Topics.ORDER_OUTCOMES, bytes(outcome.orderId().toString()),
				this.json.writeValueAsBytes(outcome)));
	}

	public void publish(String topic, byte[] key, byte[] value) {
		this.producer.send(new ProducerRecord<>(topic, key, value));
		this.producer.flush();
	}

	/** The last outcome of each order. */
	public Map<UUID, OrderOutcome> outcomes() {
		Map<UUID, OrderOutcome> outcomes = new HashMap<>();
		for (ConsumerRecord<byte[], byte[]> record : records(Topics.ORDER_OUTCOMES)) {
			OrderOutcome outcome = this.json.readValue(record.value(), OrderOutcome.class);
			outcomes.put(outcome.orderId(), outcome);
		}
		return outcomes;
	}

	public long saved() {
		return outcomes().values().stream().filter((outcome) -> outcome.status() == OrderStatus.SAVED).count();
	}

	/** All that a topic has now. */
	public List<ConsumerRecord<byte[], byte[]>> records(String topic) {
		List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
				Map.of("bootstrap.servers", this.bootstrap, "auto.offset.reset", "earliest"),
				new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
			List<TopicPartition> partitions = partitions(consumer, topic);
			consumer.assign(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			consumer.seekToBeginning(partitions);
			while (partitions.stream().anyMatch((partition) -> consumer.position(partition) < ends.get(partition))) {
				consumer.poll(Duration.ofMillis(100)).forEach(all::add);
			}
		}
		return all;
	}

	/** Records that a group has not committed. */
	public long lag(String group) {
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
				Map.of("bootstrap.servers", this.bootstrap, "group.id", group), new ByteArrayDeserializer(),
				new ByteArrayDeserializer())) {
			List<TopicPartition> partitions = partitions(consumer, Topics.ORDERS);
			Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(partitions));
			return consumer.endOffsets(partitions).entrySet().stream().mapToLong((end) -> {
				OffsetAndMetadata offset = committed.get(end.getKey());
				return end.getValue() - ((offset != null) ? offset.offset() : 0);
			}).sum();
		}
	}

	private static List<TopicPartition> partitions(KafkaConsumer<?, ?> consumer, String topic) {
		List<PartitionInfo> infos = consumer.partitionsFor(topic);
		return infos.stream().map((info) -> new TopicPartition(topic, info.partition())).toList();
	}

	public static String header(ConsumerRecord<?, ?> record, String name) {
		return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private void stopConsumers() {
		this.consumers.forEach(ConfigurableApplicationContext::close);
		this.consumers.clear();
	}

	@Override
	public void close() {
		stopConsumers();
		this.backend.close();
		this.producer.close();
	}

}
