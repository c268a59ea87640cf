package dev.sluice.consumer.projection;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.consumer.offsets.CommitMetadata;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.consumer.offsets.LostRecords.Gap;
import dev.sluice.consumer.offsets.ReadPositions;
import dev.sluice.contract.Topics;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.TopicWatch;
import dev.sluice.topics.TopicsState;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Projects {@code orders} and {@code order-outcomes} to the table {@code order_status}.
 * It may read the topics from any point and repeatedly: see {@link StatusRow}. No
 * delivery waits for it.
 * <p>
 * It runs on one thread. Another thread first waits for Kafka and PostgreSQL, migrates
 * the schema, and starts the first one again if it ends. While PostgreSQL is down, the
 * projection retries its batch with back-off, without a limit, and commits no offset.
 */
final class Projection implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(Projection.class);

	private static final String READER = "projection";

	private static final List<String> TOPICS = List.of(Topics.ORDERS, Topics.ORDER_OUTCOMES);

	private static final Duration RETRY = Duration.ofSeconds(2);

	/** Pause between two looks at the topics while the container runs. */
	private static final Duration LOOK = Duration.ofMillis(500);

	private static final Duration REQUEST = Duration.ofSeconds(5);

	private static final long FIRST_BACKOFF_MILLIS = 200;

	private static final long MAX_BACKOFF_MILLIS = 5_000;

	/** More than arrives within the linger time, so that the broker waits that long. */
	private static final int FULL_BATCH_BYTES = 1024 * 1024;

	/** The state that health shows. */
	enum State {

		WAITING, WORKING, FAILING, STOPPED

	}

	private final TopicWatch topics;

	private final LostRecords lost;

	private final StatusReader reader;

	private final StatusTable table;

	private final InstantSource clock;

	private final Supervisor supervisor;

	private final KafkaMessageListenerContainer<byte[], byte[]> container;

	private final DistributionSummary batch;

	private final MeterRegistry registry;

	/** Ids of the topics that the container reads; set while it is stopped. */
	private volatile Map<String, Uuid> topicIds = Map.of();

	private final GapDetector gaps = new GapDetector();

	private volatile State state = State.STOPPED;

	private volatile double ageSeconds;

	private volatile boolean running;

	private @Nullable Thread starter;

	Projection(ProjectionProperties properties, TopicWatch topics, LostRecords lost, StatusReader reader,
			StatusTable table, ConsumerFactory<byte[], byte[]> consumers, MeterRegistry registry, InstantSource clock,
			Supervisor supervisor) {
		this.topics = topics;
		this.lost = lost;
		TOPICS.forEach((topic) -> lost.expect(READER, topic));
		this.reader = reader;
		this.table = table;
		this.clock = clock;
		this.supervisor = supervisor;
		this.registry = registry;
		this.batch = ConsumerMetric.PROJECTION_BATCH.summary(registry);
		ConsumerMetric.PROJECTION_AGE.gauge(registry, this, (projection) -> projection.ageSeconds);
		this.container = container(properties, consumers);
	}

	private KafkaMessageListenerContainer<byte[], byte[]> container(ProjectionProperties properties,
			ConsumerFactory<byte[], byte[]> consumers) {
		Properties overrides = new Properties();
		overrides.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(properties.batchSize()));
		if (properties.linger().isPositive()) {
			overrides.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, Integer.toString(FULL_BATCH_BYTES));
			overrides.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Long.toString(properties.linger().toMillis()));
		}
		ContainerProperties container = new ContainerProperties(TOPICS.toArray(String[]::new));
		container.setGroupId(properties.groupId());
		container.setClientId("order-status");
		container.setKafkaConsumerProperties(overrides);
		BatchConsumerAwareMessageListener<byte[], byte[]> listener = this::project;
		container.setMessageListener(listener);
		container.setConsumerRebalanceListener(new Assignment());
		// A commit names its topics, because a topic may be deleted and created again.
		container.setOffsetAndMetadataProvider(
				(_, offset) -> new OffsetAndMetadata(offset, CommitMetadata.of(this.topicIds.values(), "").text()));
		// Otherwise the container would stop for good.
		container.setAuthExceptionRetryInterval(RETRY);
		KafkaMessageListenerContainer<byte[], byte[]> result = new KafkaMessageListenerContainer<>(consumers,
				container);
		result.setBeanName("order-status");
		ExponentialBackOff backoff = new ExponentialBackOff(FIRST_BACKOFF_MILLIS, 2);
		backoff.setMaxInterval(MAX_BACKOFF_MILLIS);
		DefaultErrorHandler errors = new DefaultErrorHandler(backoff);
		// The method project logs it once.
		errors.setLogLevel(org.springframework.kafka.KafkaException.Level.DEBUG);
		result.setCommonErrorHandler(errors);
		return result;
	}

	@Override
	public void start() {
		this.running = true;
		this.starter = this.supervisor.start("projection-start", this::run);
	}

	/**
	 * Waits for the topics and for PostgreSQL and runs the container until a topic was
	 * deleted and created again: the consumer itself notices only after minutes and
	 * continues at its old offset.
	 * @throws IllegalStateException if the container has ended by itself, as it does
	 * after an Error; the next run starts it again
	 */
	private Duration run() throws InterruptedException {
		halt();
		this.topicIds = projected(this.topics.await());
		begin();
		while (!this.running || this.container.isRunning()) {
			TopicsState state = this.topics.state();
			if (state.ready() && !projected(state).equals(this.topicIds)) {
				logger.warn("A topic was deleted and created again. The status projection reads it from its beginning");
				return Duration.ZERO;
			}
			Thread.sleep(LOOK);
		}
		halt();
		throw new IllegalStateException("The consumer of the status projection has ended by itself");
	}

	private static Map<String, Uuid> projected(TopicsState state) {
		Map<String, Uuid> ids = new HashMap<>(state.ids());
		ids.keySet().retainAll(TOPICS);
		return Map.copyOf(ids);
	}

	/**
	 * Migrates the schema and starts the container as soon as PostgreSQL and Kafka
	 * answer.
	 */
	private void begin() throws InterruptedException {
		Class<?> warned = null;
		while (this.running) {
			try {
				this.table.migrate();
				startContainer();
				return;
			}
			catch (FlywayException | DataAccessException | KafkaException ex) {
				Class<?> kind = NestedExceptionUtils.getMostSpecificCause(ex).getClass();
				if (kind != warned) {
					warned = kind;
					logger.warn("The status projection cannot start. Retrying until it can: {}", oneLine(ex));
				}
				Thread.sleep(RETRY);
			}
		}
	}

	private synchronized void startContainer() {
		if (this.running) {
			this.container.start();
			this.state = State.WORKING;
			logger.info("The status projection has started");
		}
	}

	private synchronized void halt() {
		if (this.running) {
			this.state = State.WAITING;
			this.container.stop();
		}
	}

	private void project(List<ConsumerRecord<byte[], byte[]>> records, @Nullable Consumer<?, ?> kafka) {
		try {
			merge(records, Objects.requireNonNull(kafka));
		}
		catch (InterruptException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			failed(ex);
			throw ex;
		}
		if (this.state == State.FAILING) {
			this.state = State.WORKING;
			logger.info("The status projection works again");
		}
		this.batch.record(records.size());
		long oldest = records.stream().mapToLong(ConsumerRecord::timestamp).min().orElse(0);
		this.ageSeconds = Duration.between(Instant.ofEpochMilli(oldest), this.clock.instant()).toMillis() / 1000.0;
	}

	private void merge(List<ConsumerRecord<byte[], byte[]>> records, Consumer<?, ?> kafka) {
		this.gaps.check(records, positions(kafka), this::lost);
		List<Collection<StatusRow>> layers = this.reader.fold(records,
				(record) -> ConsumerMetric.PROJECTION_SKIPPED.counter(this.registry, "topic", record.topic())
					.increment());
		layers.forEach(this.table::merge);
	}

	private void failed(RuntimeException failure) {
		if (this.state == State.WORKING) {
			this.state = State.FAILING;
			if (failure instanceof DataAccessException) {
				logger.warn("The status projection fails. Retrying until it succeeds: {}", oneLine(failure));
			}
			else {
				logger.error("The status projection fails. Retrying until it succeeds", failure);
			}
		}
	}

	private void lost(Gap gap) {
		this.lost.lost(READER, gap, gap.size());
	}

	private ReadPositions positions(Consumer<?, ?> kafka) {
		return new ReadPositions(kafka, this.topicIds, ReadPositions.Start.ANYWHERE);
	}

	/** Called on the container's thread. */
	private final class Assignment implements ConsumerAwareRebalanceListener {

		@Override
		public void onPartitionsAssigned(Consumer<?, ?> kafka, Collection<TopicPartition> partitions) {
			try {
				positions(kafka).begin(partitions, Projection.this::lost);
				partitions.forEach(
						(partition) -> Projection.this.gaps.assigned(partition, kafka.position(partition, REQUEST)));
			}
			catch (InterruptException ex) {
				throw ex;
			}
			catch (KafkaException ex) {
				logger.warn("The projection could not find out whether it missed records of {}: {}", partitions,
						ex.toString());
			}
		}

		@Override
		public void onPartitionsRevokedAfterCommit(Consumer<?, ?> kafka, Collection<TopicPartition> partitions) {
			Projection.this.gaps.revoked(partitions);
		}

		@Override
		public void onPartitionsLost(Consumer<?, ?> kafka, Collection<TopicPartition> partitions) {
			Projection.this.gaps.revoked(partitions);
		}

	}

	/** The exception and its root cause, which says what a person can mend. */
	static String oneLine(Exception ex) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		String text = (cause != ex) ? ex + ": " + cause : ex.toString();
		// The message of a migration has many lines.
		return text.strip().replaceAll("\\s+", " ");
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.starter != null) {
			this.starter.interrupt();
		}
		synchronized (this) {
			this.container.stop();
			this.state = State.STOPPED;
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	State state() {
		return this.state;
	}

	double ageSeconds() {
		return this.ageSeconds;
	}

}
