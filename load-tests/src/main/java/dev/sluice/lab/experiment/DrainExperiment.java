package dev.sluice.lab.experiment;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Currency;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendCount;
import dev.sluice.contract.Money;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.OrderItem;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.measure.SavedCurve;
import dev.sluice.lab.run.Progress;
import dev.sluice.lab.run.RunDirectory;
import dev.sluice.lab.stack.LabException;
import dev.sluice.lab.stack.Module;
import dev.sluice.lab.stack.Service;
import dev.sluice.lab.stack.ServiceOptions;
import dev.sluice.lab.stack.Stack;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * How near the consumer comes to what its limit allows: a backlog lies in Kafka, one
 * consumer delivers it to a backend that takes a fixed time, and the rate in the middle
 * of it is held against limit / time. No gateway and no load generator take part.
 */
final class DrainExperiment {

	static final String NAME = "drain";

	private static final int PARTITIONS = 12;

	private static final int CUSTOMERS = 1_000;

	private static final Duration POLL = Duration.ofMillis(50);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/** The rate is taken while this share of the backlog is delivered. */
	private static final double FROM = 0.3;

	private static final double TO = 0.9;

	private final Settings settings;

	private final RunDirectory directory;

	private final Progress progress;

	private final JsonMapper json = JsonMapper.builder().build();

	/**
	 * What is chosen.
	 *
	 * @param orders in the backlog
	 * @param deliveryConcurrency orders delivered at once
	 * @param delayMillis that the backend takes for an order
	 * @param infrastructure what Kafka and PostgreSQL run as
	 * @param deadlineMillis of the delivery, in milliseconds
	 */
	record Settings(int orders, int deliveryConcurrency, long delayMillis, Infrastructure infrastructure,
			long deadlineMillis) {

		/** What the limit allows, in orders a second. */
		double idealPerSecond() {
			return this.deliveryConcurrency * 1_000.0 / this.delayMillis;
		}

	}

	/**
	 * What it came to.
	 *
	 * @param rate in the middle of the backlog
	 * @param share of what the limit allows, 0 to 1
	 */
	record Result(SavedCurve.Rate rate, double share) {
	}

	DrainExperiment(Settings settings, RunDirectory directory, Progress progress) {
		this.settings = settings;
		this.directory = directory;
		this.progress = progress;
	}

	/**
	 * Runs it.
	 * @throws LabException if not everything was saved in time
	 */
	Result run() throws IOException, InterruptedException {
		try (Stack stack = Stack.builder()
			.infrastructure(this.settings.infrastructure())
			.directory(this.directory.directory("logs"))
			.build(); HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build()) {
			stack.prepare(Set.of(Module.BACKEND, Module.CONSUMER), this.progress::step);
			this.progress.step("Starting Kafka, PostgreSQL and the backend");
			AtomicReference<@Nullable Service> started = new AtomicReference<>();
			Stack.inParallel(List.of(() -> {
				stack.startInfrastructure();
				return null;
			}, () -> {
				started.set(stack.startBackend(ServiceOptions.NONE));
				return null;
			}));
			Service backend = Objects.requireNonNull(started.get());
			behave(client, backend);
			this.progress.step("Placing %,d orders into Kafka".formatted(this.settings.orders()));
			produce(stack.infrastructure().kafka().bootstrapServers());
			this.progress
				.step("Starting a consumer that delivers %,d at once".formatted(this.settings.deliveryConcurrency()));
			Service consumer = stack.startConsumer(
					ServiceOptions.NONE.withProperty("delivery.concurrency", this.settings.deliveryConcurrency()));
			SavedCurve.Rate rate = drain(client, backend, consumer).between(this.settings.orders(), FROM, TO);
			this.progress.endLine();
			return new Result(rate, rate.perSecond() / this.settings.idealPerSecond());
		}
	}

	private void behave(HttpClient client, Service backend) throws IOException, InterruptedException {
		BackendBehaviour behaviour = BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(this.settings.delayMillis()));
		HttpResponse<String> response = client.send(HttpRequest.newBuilder(backend.uri().resolve("/behaviour"))
			.timeout(TIMEOUT)
			.header("Content-Type", "application/json")
			.PUT(BodyPublishers.ofString(this.json.writeValueAsString(behaviour)))
			.build(), BodyHandlers.ofString());
		if (response.statusCode() >= 300) {
			throw new LabException(
					"The backend refuses its behaviour: %d %s".formatted(response.statusCode(), response.body()));
		}
	}

	private void produce(String bootstrapServers) throws InterruptedException {
		Map<String, Object> client = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
				ProducerConfig.ACKS_CONFIG, "all", ProducerConfig.LINGER_MS_CONFIG, 5,
				ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
		AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
		try (Admin admin = Admin.create(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
				KafkaProducer<String, byte[]> producer = new KafkaProducer<>(client, new StringSerializer(),
						new ByteArraySerializer())) {
			admin.createTopics(List.of(new NewTopic(Topics.ORDERS, PARTITIONS, (short) 1)))
				.all()
				.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			// Answered once the leaders serve; before that an idempotent producer may
			// have
			// its first batch refused and its second taken, for good (KAFKA-15591).
			admin
				.listOffsets(IntStream.range(0, PARTITIONS)
					.mapToObj((partition) -> new TopicPartition(Topics.ORDERS, partition))
					.collect(Collectors.toMap((partition) -> partition, (_) -> OffsetSpec.latest())))
				.all()
				.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			for (int i = 0; i < this.settings.orders(); i++) {
				producer.send(record(i), (_, ex) -> failure.compareAndSet(null, ex));
			}
			producer.flush();
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new LabException("Kafka does not take the orders: " + ex.getMessage(), ex);
		}
		Exception failed = failure.get();
		if (failed != null) {
			throw new LabException("Kafka does not take the orders: " + failed.getMessage(), failed);
		}
	}

	private ProducerRecord<String, byte[]> record(int number) {
		String customer = "customer-" + number % CUSTOMERS;
		Order order = new Order(customer,
				List.of(new OrderItem("sku-" + number % 97, 1, new Money("19.99", Currency.getInstance("EUR")))), null);
		ProducerRecord<String, byte[]> record = new ProducerRecord<>(Topics.ORDERS, customer,
				this.json.writeValueAsBytes(order));
		header(record, OrderHeaders.ID, UUID.randomUUID().toString());
		header(record, OrderHeaders.SOURCE, "/lab");
		header(record, OrderHeaders.SPEC_VERSION, OrderHeaders.SPEC_VERSION_VALUE);
		header(record, OrderHeaders.TYPE, OrderHeaders.TYPE_VALUE);
		header(record, OrderHeaders.TIME, Instant.now().toString());
		header(record, OrderHeaders.CONTENT_TYPE, "application/json");
		return record;
	}

	private static void header(ProducerRecord<String, byte[]> record, String name, String value) {
		record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
	}

	private SavedCurve drain(HttpClient client, Service backend, Service consumer)
			throws IOException, InterruptedException {
		URI count = backend.uri().resolve("/orders/count");
		HttpRequest request = HttpRequest.newBuilder(count).timeout(TIMEOUT).build();
		SavedCurve curve = new SavedCurve();
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(this.settings.deadlineMillis());
		while (curve.saved() < this.settings.orders()) {
			if (System.nanoTime() - deadline >= 0) {
				throw new LabException("Only %,d of %,d orders were saved within %d s; see %s".formatted(curve.saved(),
						this.settings.orders(), this.settings.deadlineMillis() / 1_000, consumer.logFile()));
			}
			if (!consumer.isAlive()) {
				throw new LabException("The consumer died; its log %s ends with:%n%s".formatted(consumer.logFile(),
						consumer.process().tail()));
			}
			BackendCount saved = this.json.readValue(client.send(request, BodyHandlers.ofString()).body(),
					BackendCount.class);
			curve.add(Instant.now(), saved.saved());
			this.progress.now("%,d of %,d saved".formatted(saved.saved(), this.settings.orders()));
			Thread.sleep(POLL);
		}
		return curve;
	}

}
