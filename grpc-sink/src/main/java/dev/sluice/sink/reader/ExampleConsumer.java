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
 * An example of a consumer of stored messages. It is a member of a consumer group,
 * processes each message at least once, exports its lag as the metric {@value #LAG}, and
 * logs a line each second in which messages came. Use it as a template: replace the
 * action.
 *
 * <pre>
 * java -Dloader.main=dev.sluice.sink.reader.ExampleConsumer -cp grpc-sink.jar \
 *   org.springframework.boot.loader.launch.PropertiesLauncher 127.0.0.1:9092 my-group 9464
 * </pre>
 */
public final class ExampleConsumer {

	/** Lag of the consumer, in offsets of the topic. */
	public static final String LAG = "sluice.sink.reader.lag";

	/** Messages consumed. */
	public static final String MESSAGES = "sluice.sink.reader.messages";

	private static final Duration POLL = Duration.ofMillis(200);

	/** Time between two commits, and between two measurements of the lag. */
	private static final Duration PERIOD = Duration.ofSeconds(1);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);

	private final TopicReader reader;

	private final Consumer<StoredMessage> action;

	private final LongSupplier nanoTime;

	private final AtomicLong lag = new AtomicLong();

	private final Counter messages;

	private final Consumer<String> log;

	private long last;

	/** Messages consumed since the last line. */
	private long unreported;

	private long unreportedBytes;

	/**
	 * Creates a consumer.
	 * @param reader reader of a group
	 * @param action processes each message; if it throws, the message is not consumed and
	 * the consumer ends
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
			.description("Offsets of the topic sink that are stored and not yet consumed")
			.register(registry);
		this.messages = Counter.builder(MESSAGES).description("Stored messages consumed").register(registry);
	}

	/** Consumes a message, if one comes, and commits once a second. */
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
			// Measured after the commit, so that a slow one does not make the next due at
			// once.
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
			throw new IllegalArgumentException("Usage: ExampleConsumer BOOTSTRAP_SERVERS GROUP METRICS_PORT");
		}
		// Set before anything logs. A file that the user has set takes precedence.
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
