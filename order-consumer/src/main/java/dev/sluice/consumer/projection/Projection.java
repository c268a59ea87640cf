package dev.sluice.consumer.projection;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.consumer.offsets.LostRecords.Reader;
import dev.sluice.consumer.offsets.ReadPositions;
import dev.sluice.contract.Topics;
import dev.sluice.threads.Supervisor;
import dev.sluice.topics.TopicWatch;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.kafka.core.ConsumerFactory;

/**
 * Projects {@code orders} and {@code order-outcomes} to the table {@code order_status}.
 * It may read the topics from any point and repeatedly: see {@link StatusTable}. No
 * delivery waits for it.
 * <p>
 * One thread waits for Kafka and PostgreSQL, migrates the schema, and then reads with one
 * consumer after another: a new one begins at the committed offsets after a failure of
 * Kafka or a bug, and at the beginning of a topic that was deleted and created again.
 * While PostgreSQL is down, it reads the same records again and again, without a limit,
 * and commits no offset.
 */
final class Projection implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(Projection.class);

	private static final String READER = "projection";

	private static final List<String> TOPICS = List.of(Topics.ORDERS, Topics.ORDER_OUTCOMES);

	/** Pause after a failure of Kafka or PostgreSQL. */
	private static final Duration RETRY = Duration.ofSeconds(1);

	/** The longest poll without records, and so the pause between looks at the topics. */
	private static final Duration POLL = Duration.ofMillis(500);

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	/** More than arrives within the linger time, so that the broker waits that long. */
	private static final int FULL_BATCH_BYTES = 1024 * 1024;

	/** SQLSTATE of a table that does not exist: somebody has dropped it. */
	private static final String NO_TABLE = "42P01";

	/** The state that health shows. */
	enum State {

		WAITING, WORKING, FAILING, STOPPED

	}

	/**
	 * A consumer, from its subscription to its close.
	 *
	 * @param topicIds ids of the topics as they were before
	 */
	private record Reading(Consumer<byte[], byte[]> kafka, Map<String, Uuid> topicIds, ReadPositions positions) {
	}

	private final ProjectionProperties properties;

	private final TopicWatch topics;

	private final LostRecords lost;

	private final StatusReader reader;

	private final StatusTable table;

	private final ConsumerFactory<byte[], byte[]> consumers;

	private final InstantSource clock;

	private final Supervisor supervisor;

	private final DistributionSummary batch;

	private final MeterRegistry registry;

	/**
	 * The kinds of failures since the last success, each of which is logged once.
	 * Confined to the projection's thread.
	 */
	private final Set<Object> failures = new HashSet<>();

	private volatile State state = State.STOPPED;

	/** The last failure; null before the first one. */
	private volatile @Nullable String cause;

	private volatile double ageSeconds;

	private volatile boolean running;

	/** Null while there is no consumer. Only the projection's thread changes it. */
	private volatile @Nullable Reading reading;

	private @Nullable Thread thread;

	Projection(ProjectionProperties properties, TopicWatch topics, LostRecords lost, StatusReader reader,
			StatusTable table, ConsumerFactory<byte[], byte[]> consumers, MeterRegistry registry, InstantSource clock,
			Supervisor supervisor) {
		this.properties = properties;
		this.topics = topics;
		this.lost = lost;
		TOPICS.forEach((topic) -> lost.expect(Reader.PROJECTION, topic));
		this.reader = reader;
		this.table = table;
		this.consumers = consumers;
		this.clock = clock;
		this.supervisor = supervisor;
		this.registry = registry;
		this.batch = ConsumerMetric.PROJECTION_BATCH.summary(registry);
		ConsumerMetric.PROJECTION_AGE.gauge(registry, this, (projection) -> projection.ageSeconds);
	}

	@Override
	public void start() {
		this.running = true;
		this.thread = this.supervisor.start(READER, this::run);
	}

	/** Reads and merges once, with a new consumer if there is none. */
	private Duration run() throws InterruptedException {
		boolean another = true;
		try {
			if (!this.running) {
				throw new InterruptedException("The projection has stopped");
			}
			Reading now = this.reading;
			if (now == null) {
				now = open();
			}
			Duration pause = project(now, poll(now));
			another = isAnotherTopic(now);
			return pause;
		}
		catch (WakeupException | InterruptException ex) {
			throw new InterruptedException("The projection stops");
		}
		catch (FlywayException | DataAccessException | KafkaException ex) {
			failed(ex);
			return RETRY;
		}
		finally {
			if (another) {
				close();
			}
		}
	}

	/** Opens a consumer as soon as PostgreSQL and Kafka answer. */
	private Reading open() throws InterruptedException {
		this.state = State.WAITING;
		Map<String, Uuid> topicIds = this.topics.await();
		this.table.migrate();
		Consumer<byte[], byte[]> kafka = consumer();
		ReadPositions positions = new ReadPositions(kafka, topicIds, Reader.PROJECTION, this.lost);
		Reading opened = new Reading(kafka, topicIds, positions);
		this.reading = opened;
		kafka.subscribe(TOPICS, new ConsumerRebalanceListener() {

			@Override
			public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
				positions.begin(assigned);
			}

			@Override
			public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
				// What is merged is committed.
			}

		});
		this.state = State.WORKING;
		return opened;
	}

	private Consumer<byte[], byte[]> consumer() {
		Properties overrides = new Properties();
		overrides.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(this.properties.batchSize()));
		Duration linger = this.properties.linger();
		if (linger.isPositive()) {
			overrides.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, Integer.toString(FULL_BATCH_BYTES));
			overrides.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Long.toString(linger.toMillis()));
		}
		return this.consumers.createConsumer(this.properties.groupId(), "order-status", null, overrides);
	}

	/**
	 * Whether a topic was deleted and created again: the consumer itself notices only
	 * after minutes and continues at its old offset.
	 */
	private boolean isAnotherTopic(Reading now) {
		Map<String, Uuid> ids = this.topics.ids();
		boolean another = !ids.isEmpty() && !ids.equals(now.topicIds());
		if (another) {
			logger.warn(
					"A topic was deleted and created again. The status projection reads a new topic from its beginning");
		}
		return another;
	}

	private ConsumerRecords<byte[], byte[]> poll(Reading now) {
		try {
			return now.kafka().poll(POLL);
		}
		catch (OffsetOutOfRangeException ex) {
			now.positions().skip(ex);
			return ConsumerRecords.empty();
		}
	}

	/**
	 * Merges and commits records. If that fails, the next poll reads them again.
	 * @return the pause before it
	 */
	private Duration project(Reading now, ConsumerRecords<byte[], byte[]> records) {
		if (records.isEmpty()) {
			return Duration.ZERO;
		}
		try {
			merge(records);
			now.positions().commit(records.nextOffsets());
		}
		catch (WakeupException | InterruptException ex) {
			throw ex;
		}
		catch (DataAccessException | KafkaException ex) {
			this.state = State.FAILING;
			failed(ex);
			records.partitions()
				.forEach((partition) -> now.kafka().seek(partition, records.records(partition).getFirst().offset()));
			return RETRY;
		}
		this.state = State.WORKING;
		if (!this.failures.isEmpty()) {
			this.failures.clear();
			logger.info("The status projection works again");
		}
		return Duration.ZERO;
	}

	private void merge(ConsumerRecords<byte[], byte[]> records) {
		this.reader
			.read(records,
					(record) -> ConsumerMetric.PROJECTION_SKIPPED.counter(this.registry, "topic", record.topic())
						.increment())
			.forEach(this.table::merge);
		this.batch.record(records.count());
		long oldest = Long.MAX_VALUE;
		for (ConsumerRecord<?, ?> record : records) {
			oldest = Math.min(oldest, record.timestamp());
		}
		this.ageSeconds = Duration.between(Instant.ofEpochMilli(oldest), this.clock.instant()).toMillis() / 1000.0;
	}

	private void failed(RuntimeException failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		String text = oneLine(failure);
		this.cause = text;
		// All failures that PostgreSQL reports have one class.
		String state = (cause instanceof SQLException reported) ? reported.getSQLState() : null;
		if (this.failures.add((state != null) ? state : cause.getClass())) {
			logger.warn("The status projection fails. Retrying until it succeeds: {}{}", text,
					NO_TABLE.equals(state) ? " (see 'Rebuilding the status' in docs/operations.md)" : "");
		}
	}

	/** The exception and its root cause, which says what a person can mend. */
	static String oneLine(Exception ex) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		String text = (cause != ex) ? ex + ": " + cause : ex.toString();
		// The message of a migration has many lines.
		return text.strip().replaceAll("\\s+", " ");
	}

	private void close() {
		Reading last = this.reading;
		if (last != null) {
			try {
				last.kafka().close(CloseOptions.timeout(CLOSE_TIMEOUT));
			}
			finally {
				// Only after the close, which an interrupt would abort.
				this.reading = null;
			}
		}
	}

	@Override
	public void stop() {
		this.running = false;
		Thread stopping = this.thread;
		if (stopping == null) {
			return;
		}
		Reading now = this.reading;
		if (now != null) {
			now.kafka().wakeup();
		}
		else {
			stopping.interrupt();
		}
		try {
			if (!stopping.join(STOP_TIMEOUT)) {
				logger.warn("The status projection did not stop in time");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.state = State.STOPPED;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	State state() {
		return this.state;
	}

	/** Why it does not work, if it does not. */
	@Nullable String cause() {
		return (this.state != State.WORKING) ? this.cause : null;
	}

	double ageSeconds() {
		return this.ageSeconds;
	}

}
