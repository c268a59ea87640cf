package dev.sluice.sink.reader;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An example of a consumer of stored messages: a member of a consumer group which does
 * something with each message, at least once, serves how far it is behind as a metric,
 * {@value #LAG}, and logs that each second in which messages came. It stands for a
 * program of your own, which replaces what is done.
 *
 * <pre>
 * java -Dloader.main=dev.sluice.sink.reader.ExampleConsumer -cp grpc-sink.jar \
 *   org.springframework.boot.loader.launch.PropertiesLauncher 127.0.0.1:9092 my-group 9464
 * </pre>
 */
public final class ExampleConsumer {

	/** Stored and not consumed, in offsets of the topic. */
	public static final String LAG = "sluice.sink.reader.lag";

	/** Messages consumed. */
	public static final String MESSAGES = "sluice.sink.reader.messages";

	private static final Duration POLL = Duration.ofMillis(200);

	/** Between two commits, and two looks at the lag. */
	private static final Duration PERIOD = Duration.ofSeconds(1);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);

	private final TopicReader reader;

	private final Consumer<StoredMessage> action;

	private final LongSupplier nanoTime;

	private final AtomicLong lag = new AtomicLong();

	private final Counter messages;

	private final Consumer<String> log;

	private long last;

	/** Consumed since the last line. */
	private long unreported;

	private long unreportedBytes;

	/**
	 * Consumes nothing yet.
	 * @param reader of a group
	 * @param action what is done with each message; if it throws, the message is not
	 * consumed and the consumer ends
	 * @param log takes a line each second in which messages came
	 */
	ExampleConsumer(TopicReader reader, Consumer<StoredMessage> action, Consumer<String> log, MeterRegistry registry,
			LongSupplier nanoTime) {
		this.reader = reader;
		this.action = action;
		this.log = log;
		this.nanoTime = nanoTime;
		this.last = nanoTime.getAsLong() - PERIOD.toNanos();
		Gauge.builder(LAG, this.lag, AtomicLong::get)
			.description("Offsets of the topic sink that are stored and not consumed")
			.register(registry);
		this.messages = Counter.builder(MESSAGES).description("Stored messages that were consumed").register(registry);
	}

	/** Consumes a message, if one comes, and commits now and then. */
	void step() {
		StoredMessage message = this.reader.next(POLL);
		if (message != null) {
			this.action.accept(message);
			this.messages.increment();
			this.unreported++;
			this.unreportedBytes += message.payload().length;
		}
		if (this.nanoTime.getAsLong() - this.last >= PERIOD.toNanos()) {
			this.reader.commit();
			this.lag.set(this.reader.lag());
			report();
			// Where that takes long, the next is not due at once.
			this.last = this.nanoTime.getAsLong();
		}
	}

	private void report() {
		if (this.unreported > 0) {
			this.log.accept("Messages consumed: %,d (%,d bytes); offsets still to read: %,d".formatted(this.unreported,
					this.unreportedBytes, this.lag.get()));
			this.unreported = 0;
			this.unreportedBytes = 0;
		}
	}

	/**
	 * Consumes until the process is stopped.
	 * @param args bootstrap servers, the group, and the port of {@code /metrics} on
	 * 127.0.0.1
	 */
	public static void main(String[] args) throws IOException {
		if (args.length != 3) {
			throw new IllegalArgumentException("Needs bootstrap servers, a group and the port of the metrics");
		}
		// Before anything logs. A file that the user names stays.
		System.getProperties().putIfAbsent("logback.configurationFile", "example-consumer-logback.xml");
		Logger logger = LoggerFactory.getLogger(ExampleConsumer.class);
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		HttpServer metrics = HttpServer
			.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[2])), 0);
		metrics.createContext("/metrics", (exchange) -> {
			byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		CountDownLatch ended = new CountDownLatch(1);
		Thread consuming = Thread.currentThread();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(consuming, ended, logger), "stop"));
		metrics.start();
		try (TopicReader reader = TopicReader.group(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]),
				args[1])) {
			ExampleConsumer consumer = new ExampleConsumer(reader,
					(message) -> logger.debug("Partition {}, offset {}: {} bytes", message.partition(),
							message.offset(), message.payload().length),
					logger::info, registry, System::nanoTime);
			logger.info("Reading the topic {} of {} as group {}; metrics: http://127.0.0.1:{}/metrics", Topics.SINK,
					args[0], args[1], args[2]);
			while (!stopping) {
				consumer.step();
			}
			reader.commit();
		}
		finally {
			metrics.stop(0);
			ended.countDown();
		}
	}

	private static volatile boolean stopping;

	private static void stop(Thread consuming, CountDownLatch ended, Logger logger) {
		stopping = true;
		try {
			if (!ended.await(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
				logger.warn("{} has not ended", consuming.getName());
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

}
