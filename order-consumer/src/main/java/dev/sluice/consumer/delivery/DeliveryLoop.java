package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadFactory;

import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.consumer.offsets.LostRecords.Reader;
import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicWatch;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.ConsumerFactory;

/**
 * Delivers {@code orders} on one platform thread, with one {@link OrderReader} after
 * another: a new one begins at the committed offsets after a Kafka error, and at the
 * beginning of a topic that was deleted and created again. After a bug the thread ends,
 * and liveness fails.
 */
public final class DeliveryLoop implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(DeliveryLoop.class);

	/** The pause before a restart after an error. */
	private static final Duration RESTART = Duration.ofSeconds(1);

	private final DeliveryProperties properties;

	private final TopicWatch topics;

	private final LostRecords lost;

	private final ConsumerFactory<byte[], byte[]> consumers;

	private final Delivery.Context context;

	private final PendingRecords pending;

	private final ThreadFactory threads;

	private @Nullable Thread thread;

	private volatile @Nullable OrderReader reader;

	private volatile boolean running;

	/**
	 * @param threads creates the loop's thread
	 */
	DeliveryLoop(DeliveryProperties properties, TopicWatch topics, LostRecords lost,
			ConsumerFactory<byte[], byte[]> consumers, Delivery.Context context, PendingRecords pending,
			ThreadFactory threads) {
		this.properties = properties;
		this.topics = topics;
		this.lost = lost;
		lost.expect(Reader.DELIVERY, Topics.ORDERS);
		this.consumers = consumers;
		this.context = context;
		this.pending = pending;
		this.threads = threads;
	}

	@Override
	public void start() {
		this.running = true;
		this.thread = this.threads.newThread(this::run);
		this.thread.start();
	}

	private void run() {
		try {
			while (this.running) {
				readOnce();
			}
		}
		catch (InterruptedException | InterruptException ex) {
			logger.debug("Stopped before Kafka was ready");
		}
		catch (RuntimeException | Error ex) {
			logger.error("Consuming {} has ended. Health stays down until a restart", Topics.ORDERS, ex);
		}
	}

	/** Reads with a new consumer until the loop must stop or begin again. */
	private void readOnce() throws InterruptedException {
		try {
			Map<String, Uuid> topicIds = this.topics.await();
			try (OrderReader reader = new OrderReader(this.properties, topicIds, this.topics, this.lost, consumer(),
					this.context, this.pending, this::isRunning)) {
				this.reader = reader;
				reader.read();
			}
			finally {
				// Only after the close, which an interrupt would abort.
				this.reader = null;
			}
		}
		catch (InterruptException ex) {
			throw ex;
		}
		catch (KafkaException ex) {
			logger.error("Consuming {} failed. Restarting in {} s", Topics.ORDERS, RESTART.toSeconds(), ex);
			this.context.time().sleep(RESTART);
		}
	}

	private Consumer<byte[], byte[]> consumer() {
		Properties overrides = new Properties();
		overrides.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(this.properties.batch()));
		return this.consumers.createConsumer(this.properties.groupId(), "order-delivery", null, overrides);
	}

	/**
	 * Stops reading, waits for deliveries to end and commits finished records. Other
	 * instances get the rest when the consumer closes.
	 */
	@Override
	public void stop() {
		this.running = false;
		Thread stopping = this.thread;
		if (stopping == null) {
			return;
		}
		OrderReader current = this.reader;
		if (current != null) {
			current.wakeUp();
		}
		else {
			stopping.interrupt();
		}
		try {
			if (!stopping.join(this.properties.drainTimeout().plus(OrderReader.STOP_TIMEOUT))) {
				logger.warn("The consumer of {} did not stop in time", Topics.ORDERS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Whether the thread runs. It also runs while Kafka is down. */
	boolean isAlive() {
		return this.thread != null && this.thread.isAlive();
	}

	boolean isConnected() {
		return this.reader != null;
	}

	/** How long the consumer has made no progress; zero without a consumer. */
	Duration sinceLastPoll() {
		OrderReader current = this.reader;
		return (current != null) ? current.sinceLastPoll() : Duration.ZERO;
	}

	/** Partitions that are assigned to this instance. */
	Set<TopicPartition> assignment() {
		OrderReader current = this.reader;
		return (current != null) ? current.assignment() : Set.of();
	}

}
