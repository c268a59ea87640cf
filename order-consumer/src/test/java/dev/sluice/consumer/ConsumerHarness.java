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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.KafkaService;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.devservices.PostgresService;
import dev.sluice.topics.TopicSpecs;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The environment of a consumer in integration tests: a Kafka and the real backend in its
 * own process, which the JVM's tests share, with consumer groups and an audit for each
 * test.
 * <p>
 * Each consumer has a context of its own, so that it remembers nothing of another, and a
 * close stops what SIGTERM stops. Its limits leave it time: a test that asserts a limit
 * sets it.
 */
public final class ConsumerHarness {

	private static final Path BACKEND = Path.of("../backend-mock/target/backend-mock.jar");

	private static final int PARTITIONS = 12;

	/** Answers nothing until the next behaviour, which ends what waits unsaved. */
	public static final BackendBehaviour HANGING = new BackendBehaviour(new Delay.Fixed(0), 0, 503, 1, 0, 0,
			new Capacity.Unlimited());

	private static @Nullable ConsumerHarness shared;

	private static final List<String> TOPICS = List.of(Topics.ORDERS, Topics.ORDER_OUTCOMES, Topics.ORDERS_DLT);

	private static final Comparator<OrderOutcome> LAST = Comparator
		.comparing((OrderOutcome outcome) -> outcome.status() == OrderStatus.SAVED)
		.thenComparing(OrderOutcome::at);

	private final JsonMapper json = JsonMapper.builder().build();

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(Patience.ofSeconds(60)).build();

	private final String bootstrap;

	private final Admin admin;

	private KafkaProducer<byte[], byte[]> producer;

	/** Reads the topics from the last reset on. */
	private KafkaConsumer<byte[], byte[]> reader;

	/** What the reader has read, by topic. */
	private final Map<String, List<ConsumerRecord<byte[], byte[]>>> read = new HashMap<>();

	private final int backendPort = Ports.free();

	private final JavaProcess backend = JavaProcess.jar(BACKEND)
		.args("--server.port=" + this.backendPort)
		.jvmArgs("-Xmx256m", "-XX:+UseSerialGC")
		.logFile(Path.of("target/backend-mock-" + this.backendPort + ".log"))
		.readyWhen(URI.create("http://127.0.0.1:" + this.backendPort + "/actuator/health/readiness"),
				DevServices.startTimeout())
		.launch()
		.awaitReady();

	private final List<ConfigurableApplicationContext> consumers = new ArrayList<>();

	private String round = "";

	private int partitions = PARTITIONS;

	private Map<TopicPartition, Long> starts = Map.of();

	private ConsumerHarness(KafkaService kafka) {
		// Until an application configures it.
		LoggingSystem.get(ConsumerHarness.class.getClassLoader())
			.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.ERROR);
		this.bootstrap = kafka.bootstrapServers();
		this.admin = Admin.create(Map.of("bootstrap.servers", this.bootstrap));
		this.producer = producer();
		this.reader = consumer();
	}

	/**
	 * The one that the tests of this JVM share. It starts at the first call and ends with
	 * the JVM. If the start fails, or the backend has ended, the next call starts it
	 * again.
	 */
	public static synchronized ConsumerHarness shared() {
		ConsumerHarness harness = shared;
		if (harness == null || !harness.backend.isAlive()) {
			harness = new ConsumerHarness(DevServices.shared().kafka());
			Runtime.getRuntime().addShutdownHook(new Thread(harness.backend::close, "backend-close"));
			shared = harness;
		}
		return harness;
	}

	/** Waits for what must happen. The deadline only ends a hang. */
	public static ConditionFactory eventually() {
		return Awaitility.await().atMost(Patience.ofSeconds(180));
	}

	/**
	 * Starts a consumer in this JVM, in addition to others. Closing it is a graceful
	 * stop.
	 */
	public ConfigurableApplicationContext startConsumer(String... properties) {
		return start("spring.main.web-application-type=none", properties);
	}

	/** Starts a consumer with its web server in this JVM. */
	public ConfigurableApplicationContext startApplication(String... properties) {
		return start("server.port=0", properties);
	}

	private ConfigurableApplicationContext start(String first, String... properties) {
		this.consumers
			.add(new SpringApplicationBuilder(OrderConsumerApplication.class).run(arguments(first, properties)));
		return this.consumers.getLast();
	}

	/** Starts a consumer in its own process, which a test can kill. */
	public JavaProcess startConsumerProcess(String... properties) {
		return JavaProcess.mainClass(OrderConsumerApplication.class.getName())
			.args(arguments("spring.main.web-application-type=none", properties))
			.jvmArgs("-Xmx256m", "-XX:+UseSerialGC")
			.logFile(Path.of("target/order-consumer-" + UUID.randomUUID() + ".log"))
			.readyWhenLogged("Started OrderConsumerApplication", DevServices.startTimeout())
			.launch()
			.awaitReady();
	}

	private String[] arguments(String first, String... properties) {
		Map<String, String> all = new LinkedHashMap<>();
		Stream
			.concat(Stream.of(first, "spring.lifecycle.timeout-per-shutdown-phase=5m", "projection.enabled=false",
					"projection.group-id=" + projectionGroup(), "spring.kafka.bootstrap-servers=" + this.bootstrap,
					"backend.url=" + backendUrl(), "backend.connect-timeout=1m", "backend.response-timeout=5m",
					"backend.circuit.open-for=200ms", "delivery.group-id=" + deliveryGroup(),
					"delivery.initial-backoff=50ms", "delivery.max-backoff=500ms", "delivery.commit-interval=100ms",
					"delivery.rebalance-timeout=1m", "delivery.drain-timeout=1m",
					"spring.kafka.consumer.properties.session.timeout.ms=60000",
					"spring.kafka.consumer.properties.heartbeat.interval.ms=1000"), Arrays.stream(properties))
			.map((property) -> property.split("=", 2))
			.forEach((property) -> all.put(property[0], property[1]));
		return all.entrySet().stream().map((one) -> "--" + one.getKey() + "=" + one.getValue()).toArray(String[]::new);
	}

	public String bootstrapServers() {
		return this.bootstrap;
	}

	private String backendUrl() {
		return "http://127.0.0.1:" + this.backendPort;
	}

	/**
	 * Starts a new round: with new consumer groups, which start at the end of what other
	 * tests left, and an empty backend. Topics stay, because clients are slow to notice
	 * that a topic was replaced.
	 * @param partitions number of the twelve partitions that get orders
	 */
	public void reset(int partitions) throws Exception {
		stopConsumers();
		this.round = UUID.randomUUID().toString();
		this.partitions = partitions;
		createMissingTopics();
		renewClients();
		for (String group : List.of(deliveryGroup(), projectionGroup())) {
			Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
			this.starts.forEach((partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset)));
			commit(group, offsets);
		}
		behave(BackendBehaviour.DEFAULT);
		request("DELETE", "/audit", null);
	}

	/** Clients that remember nothing of topics that an earlier test has deleted. */
	private synchronized void renewClients() {
		this.producer.close();
		this.producer = producer();
		this.reader.close();
		this.reader = consumer();
		this.read.clear();
		this.starts = ends();
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
			.timeout(Patience.ofSeconds(60))
			.method(method, (body != null) ? BodyPublishers.ofString(body) : BodyPublishers.noBody())
			.build(), BodyHandlers.ofString());
		if (response.statusCode() >= 300) {
			throw new IOException(method + " " + path + ": " + response.statusCode() + " " + response.body());
		}
		return response.body();
	}

	/** Enqueues good orders of many customers. */
	public List<UUID> enqueue(int orders) {
		List<UUID> ids = IntStream.range(0, orders).mapToObj((i) -> UUID.randomUUID()).toList();
		for (int i = 0; i < orders; i++) {
			String customer = "c-" + i % 50;
			enqueue(ids.get(i), customer, order(customer));
		}
		this.producer.flush();
		return ids;
	}

	/** Enqueues a good order of a customer. */
	public UUID enqueueOf(String customer) {
		UUID id = UUID.randomUUID();
		enqueue(id, customer, order(customer));
		this.producer.flush();
		return id;
	}

	private static String order(String customer) {
		return """
				{"customerId":"%s","items":[{"sku":"s","quantity":1,"unitPrice":{"amount":"1.50","currency":"EUR"}}]}"""
			.formatted(customer);
	}

	public void enqueue(UUID id, String customerId, String body) {
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(Topics.ORDERS,
				Math.floorMod(customerId.hashCode(), this.partitions), bytes(customerId), bytes(body));
		record.headers()
			.add(OrderHeaders.ID, bytes(id.toString()))
			.add(OrderHeaders.TYPE, bytes(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, bytes(Instant.now().toString()));
		this.producer.send(record);
	}

	public void publish(OrderOutcome outcome) {
		this.producer.send(new ProducerRecord<>(Topics.ORDER_OUTCOMES, bytes(outcome.key()),
				this.json.writeValueAsBytes(outcome)));
	}

	public void publish(String topic, byte[] key, byte[] value) {
		this.producer.send(new ProducerRecord<>(topic, key, value));
		this.producer.flush();
	}

	/**
	 * The last outcome of each order. They are in several partitions, so their times
	 * decide, and nothing follows {@code saved}.
	 */
	public Map<UUID, OrderOutcome> outcomes() {
		Map<UUID, OrderOutcome> outcomes = new HashMap<>();
		for (ConsumerRecord<byte[], byte[]> record : records(Topics.ORDER_OUTCOMES)) {
			OrderOutcome outcome = this.json.readValue(record.value(), OrderOutcome.class);
			outcomes.merge(outcome.orderId(), outcome, (one, other) -> (LAST.compare(one, other) > 0) ? one : other);
		}
		return outcomes;
	}

	public long saved() {
		return outcomes().values().stream().filter((outcome) -> outcome.status() == OrderStatus.SAVED).count();
	}

	/** Records that a topic has received since the reset. */
	public synchronized List<ConsumerRecord<byte[], byte[]>> records(String topic) {
		Map<TopicPartition, Long> ends = this.reader.endOffsets(partitions(topic));
		if (!this.reader.assignment().containsAll(ends.keySet())) {
			this.reader.assign(Stream.concat(this.reader.assignment().stream(), ends.keySet().stream()).toList());
			ends.keySet().forEach((of) -> this.reader.seek(of, this.starts.getOrDefault(of, 0L)));
		}
		while (ends.keySet().stream().anyMatch((of) -> this.reader.position(of) < ends.get(of))) {
			this.reader.poll(Duration.ofMillis(100))
				.forEach((record) -> this.read.computeIfAbsent(record.topic(), (_) -> new ArrayList<>()).add(record));
		}
		return List.copyOf(this.read.getOrDefault(topic, List.of()));
	}

	/** Number of orders since the reset that the consumers have not committed. */
	public long lag() throws Exception {
		Map<TopicPartition, OffsetAndMetadata> committed = commits();
		Map<TopicPartition, Long> ends = logEnds();
		return ends.entrySet().stream().mapToLong((end) -> end.getValue() - committed.get(end.getKey()).offset()).sum();
	}

	/** The end of each partition of all topics. */
	private synchronized Map<TopicPartition, Long> ends() {
		return this.reader.endOffsets(TOPICS.stream().flatMap((topic) -> partitions(topic).stream()).toList());
	}

	private KafkaProducer<byte[], byte[]> producer() {
		return new KafkaProducer<>(Map.of("bootstrap.servers", this.bootstrap, "acks", "all"),
				new ByteArraySerializer(), new ByteArraySerializer());
	}

	private KafkaConsumer<byte[], byte[]> consumer() {
		return new KafkaConsumer<>(Map.of("bootstrap.servers", this.bootstrap), new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
	}

	private static List<TopicPartition> partitions(String topic) {
		return IntStream.range(0, PARTITIONS).mapToObj((partition) -> new TopicPartition(topic, partition)).toList();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	public void createMissingTopics() throws Exception {
		Set<String> missing = new HashSet<>(TOPICS);
		missing.removeAll(get(this.admin.listTopics().names()));
		get(this.admin
			.createTopics(TopicSpecs.orders(PARTITIONS, (short) 1, 0)
				.stream()
				.filter((topic) -> missing.contains(topic.name()))
				.toList())
			.all());
	}

	/** The commits of the delivery. */
	public Map<TopicPartition, OffsetAndMetadata> commits() throws Exception {
		return commits(deliveryGroup());
	}

	private Map<TopicPartition, OffsetAndMetadata> commits(String group) throws Exception {
		return get(this.admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
	}

	private static <T> T get(KafkaFuture<T> future) throws Exception {
		return future.get(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS);
	}

	/** Number of events that the projection has not committed. */
	public long projectionLag() throws Exception {
		return projectionLag(projectionGroup());
	}

	/** Counts one more for each partition without a commit. */
	public long projectionLag(String group) throws Exception {
		Map<TopicPartition, OffsetAndMetadata> committed = commits(group);
		return ends().entrySet()
			.stream()
			.filter((end) -> !end.getKey().topic().equals(Topics.ORDERS_DLT))
			.mapToLong((end) -> end.getValue()
					- (committed.containsKey(end.getKey()) ? committed.get(end.getKey()).offset() : -1))
			.sum();
	}

	/** Number of orders that the status projection knows as saved. */
	public static long projected() {
		return count("status = 'saved'");
	}

	/** Number of rows of the status projection that match a condition. */
	public static long count(String where) {
		JdbcTemplate jdbc = new JdbcTemplate(database());
		return jdbc.queryForObject("SELECT to_regclass('order_status') IS NOT NULL", Boolean.class)
				? jdbc.queryForObject("SELECT count(*) FROM order_status WHERE " + where, Long.class) : 0;
	}

	/** Drops the status projection and its migrations. */
	public static void emptyDatabase() {
		new JdbcTemplate(database()).execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
	}

	public static DataSource database() {
		PostgresService postgres = DevServices.shared().postgres();
		return new DriverManagerDataSource(postgres.jdbcUrl(), postgres.username(), postgres.password());
	}

	/** The properties for a consumer with a projection. */
	public static String[] projecting(String... properties) {
		PostgresService postgres = DevServices.shared().postgres();
		return Stream
			.concat(Stream.of("projection.enabled=true", "spring.datasource.url=" + postgres.jdbcUrl(),
					"spring.datasource.username=" + postgres.username(),
					"spring.datasource.password=" + postgres.password()), Arrays.stream(properties))
			.toArray(String[]::new);
	}

	/** The first offset of each partition of {@code orders} that is still there. */
	public synchronized Map<TopicPartition, Long> logStarts() {
		return this.reader.beginningOffsets(partitions(Topics.ORDERS));
	}

	/** The end of each partition of {@code orders}. */
	public synchronized Map<TopicPartition, Long> logEnds() {
		return this.reader.endOffsets(partitions(Topics.ORDERS));
	}

	/** Commits for the delivery, which must not be running. */
	public void commit(Map<TopicPartition, OffsetAndMetadata> offsets) throws Exception {
		commit(deliveryGroup(), offsets);
	}

	private void commit(String group, Map<TopicPartition, OffsetAndMetadata> offsets) throws Exception {
		get(this.admin.alterConsumerGroupOffsets(group, offsets).all());
	}

	/**
	 * The health of an {@linkplain #startApplication application}, with the status and
	 * all details, as JSON.
	 */
	public String health(ConfigurableApplicationContext consumer) throws IOException, InterruptedException {
		URI health = URI.create("http://127.0.0.1:%s/actuator/health"
			.formatted(consumer.getEnvironment().getProperty("local.server.port")));
		return this.http
			.send(HttpRequest.newBuilder(health).timeout(Patience.ofSeconds(60)).build(), BodyHandlers.ofString())
			.body();
	}

	/** Number of records that a consumer has reported as lost. */
	public static double lost(ConfigurableApplicationContext consumer) {
		return consumer.getBean(MeterRegistry.class)
			.find("sluice.lost.records")
			.counters()
			.stream()
			.mapToDouble(Counter::count)
			.sum();
	}

	/** Deletes all records of {@code orders}, as retention does. */
	public void expireOrders() throws Exception {
		Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
		partitions(Topics.ORDERS).forEach((partition) -> all.put(partition, RecordsToDelete.beforeOffset(-1)));
		get(this.admin.deleteRecords(all).all());
	}

	/** Adds a partition to {@code orders}, which gets orders from then on. */
	public void addPartition() throws Exception {
		get(this.admin.createPartitions(Map.of(Topics.ORDERS, NewPartitions.increaseTo(PARTITIONS + 1))).all());
		this.partitions = PARTITIONS + 1;
	}

	public void deleteTopic(String name) throws Exception {
		get(this.admin.deleteTopics(List.of(name)).all());
	}

	public boolean topicExists(String name) throws Exception {
		return get(this.admin.listTopics().names()).contains(name);
	}

	private String deliveryGroup() {
		return "order-delivery-" + this.round;
	}

	private String projectionGroup() {
		return "order-status-" + this.round;
	}

	public void stopConsumers() {
		this.consumers.forEach(ConfigurableApplicationContext::close);
		this.consumers.clear();
	}

}
