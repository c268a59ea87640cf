package dev.sluice.lab.drain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.DrainResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code lab drain}: measures how close the consumer comes to the rate that its limit
 * allows. One consumer delivers a backlog from Kafka to a backend of known delay; the
 * rate in the middle of the backlog is compared with limit / delay. No gateway and no
 * load generator take part.
 */
@Command(name = "drain",
		description = "Measures how fast the consumer delivers a backlog, against what its limit allows.")
public final class DrainExperiment extends Experiment {

	private static final Duration POLL = Duration.ofMillis(50);

	/** Of the delivery. */
	private static final Duration DEADLINE = Duration.ofSeconds(300);

	/** The rate is measured from this share of the backlog on. */
	private static final double FROM = 0.3;

	private static final double TO = 0.9;

	private static final int PARTITIONS = 12;

	@Option(names = "--orders", paramLabel = "COUNT", defaultValue = "60000",
			description = "Orders in the backlog. Default: ${DEFAULT-VALUE}.")
	private int orders = 60_000;

	@Option(names = "--delivery-concurrency", paramLabel = "COUNT", defaultValue = "100",
			description = "Orders that the consumer delivers at once. Default: ${DEFAULT-VALUE}.")
	private int deliveryConcurrency = 100;

	@Option(names = "--delay", paramLabel = "MILLIS", defaultValue = "50",
			description = "Time that the backend takes for an order, in ms. Default: ${DEFAULT-VALUE}.")
	private long delayMillis = 50;

	private @Nullable DrainResult result;

	@Override
	protected void check() {
		require(this.orders >= 100 && this.deliveryConcurrency >= 1 && this.delayMillis >= 1,
				"At least 100 orders, 1 delivery at once and a delay of 1 ms are needed");
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		try (Stack stack = stack()) {
			progress().step("Starting Kafka, PostgreSQL and the backend");
			Stack.inParallel(List.of(stack::startInfrastructure, () -> stack.startBackend(ServiceOptions.NONE)));
			BackendControl control = new BackendControl(stack.uri(Module.BACKEND));
			control.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(this.delayMillis)));
			progress().step("Placing %s orders into Kafka".formatted(this.orders));
			feed(stack.infrastructure().kafka().bootstrapServers(), this.orders);
			progress().step("Starting a consumer that delivers %s at once".formatted(this.deliveryConcurrency));
			Service consumer = stack
				.startConsumer(ServiceOptions.NONE.withProperty("delivery.concurrency", this.deliveryConcurrency));
			drain(control, consumer);
			this.result = result(control.savedMicros().values());
		}
	}

	/**
	 * The rate in the middle of the backlog, without the start and the last stragglers.
	 * @param savedMicros when each order was saved, in microseconds since 1970
	 */
	private DrainResult result(Collection<Long> savedMicros) {
		long[] saved = savedMicros.stream().mapToLong(Long::longValue).sorted().toArray();
		int from = (int) Math.round(FROM * saved.length);
		int to = (int) Math.round(TO * saved.length);
		long counted = to - from;
		double seconds = Math.max(saved[to] - saved[from], 1) / 1e6;
		return new DrainResult(this.orders, this.deliveryConcurrency, this.delayMillis, counted, seconds,
				counted / seconds);
	}

	@Override
	protected @Nullable Finding finding() {
		return this.result;
	}

	private void drain(BackendControl backend, Service consumer) throws InterruptedException {
		Duration within = Patience.of(DEADLINE);
		long deadline = System.nanoTime() + within.toNanos();
		for (long saved = 0; saved < this.orders; saved = backend.saved()) {
			if (System.nanoTime() - deadline >= 0) {
				throw new LabException(
						"Only %s of %s orders were saved within %s s; see %s".formatted(Figures.count(saved),
								Figures.count(this.orders), within.toSeconds(), consumer.process().logFile()));
			}
			Stack.checkAlive(List.of(consumer));
			progress().during("%s of %s saved".formatted(Figures.count(saved), Figures.count(this.orders)));
			Thread.sleep(POLL);
		}
	}

	/**
	 * Creates the topic, and writes so many orders into it as a gateway would.
	 * @throws LabException if Kafka does not answer, or refuses one
	 */
	private static void feed(String bootstrapServers, int orders) throws InterruptedException {
		AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
		try (Admin admin = Admin.create(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
			admin.createTopics(List.of(new NewTopic(Topics.ORDERS, PARTITIONS, (short) 1))).all().get();
		}
		catch (ExecutionException ex) {
			failure.set(ex);
		}
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers, ProducerConfig.ACKS_CONFIG, "all",
						ProducerConfig.LINGER_MS_CONFIG, 5, ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4"),
				new ByteArraySerializer(), new ByteArraySerializer())) {
			for (int i = 0; i < orders && failure.get() == null; i++) {
				producer.send(record(i), (_, ex) -> failure.compareAndSet(null, ex));
			}
			producer.flush();
		}
		Exception ex = failure.get();
		if (ex != null) {
			throw new LabException("Kafka does not accept the orders: " + ex.getMessage(), ex);
		}
	}

	private static ProducerRecord<byte[], byte[]> record(int order) {
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(Topics.ORDERS, utf8(OrderIdentity.customer(order)),
				utf8(OrderIdentity.body(order, 1)));
		record.headers()
			.add(OrderHeaders.ID, utf8(UUID.randomUUID().toString()))
			.add(OrderHeaders.SOURCE, utf8("/lab"))
			.add(OrderHeaders.SPEC_VERSION, utf8(OrderHeaders.SPEC_VERSION_VALUE))
			.add(OrderHeaders.TYPE, utf8(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, utf8(Instant.now().toString()))
			.add(OrderHeaders.CONTENT_TYPE, utf8("application/json"));
		return record;
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(DrainResult drain) {
		return List
			.of(new Section("drain", "How fast does the consumer alone deliver?").answers(List.of(answer(drain))));
	}

	private static String answer(DrainResult drain) {
		return String.format(Locale.ROOT,
				"%,.0f orders/s while %,d were delivered (%.1f s): %.1f %% of the %,.0f/s that %s at once and %s ms allow",
				drain.perSecond(), drain.counted(), drain.seconds(), drain.share() * 100, drain.idealPerSecond(),
				drain.deliveryConcurrency(), drain.delayMillis());
	}

}
