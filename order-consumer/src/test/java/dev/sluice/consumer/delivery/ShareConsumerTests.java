package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.backend.QueuedOrder;
import dev.sluice.consumer.limiter.BackendHealth;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.consumer.outcome.DeadLetters;
import dev.sluice.consumer.outcome.OutcomePublisher;
import dev.sluice.consumer.outcome.ReliablePublisher;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the consumers of a share source do with what brokers give them, in simulated time
 * that passes only while every thread waits.
 */
class ShareConsumerTests {

	private static final Attempt SAVED = new Saved(null);

	private static final Attempt FAILED = new RetryLater(FailureReason.failed(500, "500"), true);

	private static final Attempt INTERRUPTED = new RetryLater(FailureReason.interrupted("interrupted"), true);

	private static final Logger PROJECT = (Logger) LoggerFactory.getLogger("dev.sluice.consumer");

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(ShareSource.class);

	private static final Logger SOURCE_LOGGER = (Logger) LoggerFactory.getLogger(DeliverySource.class);

	private static final int MAX_STEPS = 200_000;

	/** The latest ready thread goes on, and none is slow. */
	private final SeededScheduler time = new SeededScheduler(new Random() {

		@Override
		public int nextInt(int bound) {
			return bound - 1;
		}

	});

	private final SeededScheduler.Process process = this.time.new Process();

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final ListAppender<ILoggingEvent> sourceLog = new ListAppender<>();

	/** Each that the source has asked for, in this order. */
	private final List<ScriptedConsumer> consumers = new ArrayList<>();

	private final ScriptedProducer producer = new ScriptedProducer();

	private final PendingRecords pending = new PendingRecords(1_000, Long.MAX_VALUE);

	private final BackendHealth health = new BackendHealth(
			new BackendProperties.Circuit(5, 50, Duration.ofSeconds(10), 20, Duration.ofSeconds(2), 2), Duration.ZERO,
			this.time::nanoTime);

	private final Map<String, String> properties = new LinkedHashMap<>(
			Map.of("delivery.share-consumers", "1", "delivery.concurrency", "8", "delivery.initial-backoff", "1h",
					"delivery.max-backoff", "1h", "delivery.max-age", "0s"));

	private Function<QueuedOrder, Attempt> backend = (_) -> SAVED;

	/** Milliseconds for which brokers lock a record; null if they do not say. */
	private @Nullable Integer lockMillis = 30_000;

	private int deliveryLimit = 5;

	/** What brokers have for the next polls. */
	private final Queue<List<ConsumerRecord<byte[], byte[]>>> given = new ArrayDeque<>();

	/** Offsets of which the lock is another consumer's when it is renewed. */
	private final Set<Long> lost = new HashSet<>();

	/** What the next commit that waits comes to. */
	private @Nullable KafkaException commitFailure;

	/** How many of the next consumers the group refuses. */
	private int refusals;

	/** Whether brokers answer. */
	private boolean answers = true;

	private int calls;

	private @Nullable Level levelBefore;

	private ShareSource source;

	@BeforeEach
	void listen() {
		this.levelBefore = PROJECT.getLevel();
		PROJECT.setLevel(Level.OFF);
		this.log.start();
		LOGGER.addAppender(this.log);
		LOGGER.setLevel(Level.INFO);
		LOGGER.setAdditive(false);
		this.sourceLog.start();
		SOURCE_LOGGER.addAppender(this.sourceLog);
		SOURCE_LOGGER.setLevel(Level.ERROR);
		SOURCE_LOGGER.setAdditive(false);
	}

	@AfterEach
	void end() {
		this.process.kill();
		LOGGER.setAdditive(true);
		LOGGER.setLevel(null);
		LOGGER.detachAppender(this.log);
		SOURCE_LOGGER.setAdditive(true);
		SOURCE_LOGGER.setLevel(null);
		SOURCE_LOGGER.detachAppender(this.sourceLog);
		PROJECT.setLevel(this.levelBefore);
		assertThat(this.consumers).allSatisfy((consumer) -> assertThat(consumer.violation).isNull());
	}

	@Test
	void acceptsAllThatItHoldsBeforeItGetsMore() {
		this.backend = takes(Duration.ofMillis(300), SAVED);
		give(order(0), order(1));
		give(order(2));
		start();

		pass(Duration.ofSeconds(1));

		assertThat(consumer().committed).containsExactlyInAnyOrder("accept 0", "accept 1", "accept 2");
		assertThat(consumer().polls).isGreaterThan(2);
		assertThat(this.calls).isEqualTo(3);
		assertThat(this.pending.records()).isZero();
		assertThat(consumer().topics).containsExactly(Topics.ORDERS);
	}

	@Test
	void countsAsPendingWhatItHolds() {
		this.backend = takes(Duration.ofSeconds(1), SAVED);
		give(order(0), order(1));
		start();

		pass(Duration.ofMillis(900));

		assertThat(this.pending.records()).isEqualTo(2);
	}

	@Test
	void tellsHowManyConsumersItHas() {
		this.properties.put("delivery.share-consumers", "3");
		build();
		assertThat(this.source.details()).isEqualTo(Map.of("consumers", 0L));

		this.source.start();
		pass(Duration.ofSeconds(1));

		assertThat(this.source.details()).isEqualTo(Map.of("consumers", 3L));
	}

	@Test
	void acceptsARecordWithoutValueWhenItIsADeadLetter() {
		give(Records.order(UUID.randomUUID()).value((String) null).at(0));
		start();

		pass(Duration.ofSeconds(1));

		assertThat(this.producer.history()).extracting(ProducerRecord::topic)
			.containsExactly(Topics.ORDERS_DLT, Topics.ORDER_OUTCOMES);
		assertThat(consumer().committed).containsExactly("accept 0");
		assertThat(this.calls).isZero();
		assertThat(this.pending.records()).isZero();
	}

	@Test
	void commitsWhatEndsInEachIntervalWhileOthersGoOn() {
		this.properties.put("delivery.commit-interval", "200ms");
		this.backend = takes(Map.of(0L, 50, 1L, 150, 2L, 300, 3L, 900, 4L, 1_900));
		give(order(0), order(1), order(2), order(3), order(4));
		start();

		pass(Duration.ofMillis(1_800));

		assertThat(consumer().commits).as("milliseconds").containsExactly(200L, 400L, 900L);
		assertThat(consumer().committed).containsExactly("accept 0", "accept 1", "accept 2", "accept 3");
	}

	@Test
	void renewsTheLocksAtHalfOfTheirTime() {
		this.lockMillis = 20_400;
		this.backend = takes(Duration.ofSeconds(25), SAVED);
		start();
		pass(Duration.ofMillis(1_700));
		// The poll that begins at 1.5 s ends at 2 s.
		give(order(0));

		pass(Duration.ofSeconds(40));

		assertThat(consumer().renewals).as("milliseconds").containsExactly(12_200L, 22_400L);
		assertThat(consumer().committed).containsExactly("renew 0", "renew 0", "accept 0");
		assertThat(this.calls).isEqualTo(1);
	}

	@Test
	void renewsInTimeForTheShortestLockIfBrokersDoNotTellTheirs() {
		this.lockMillis = null;
		this.backend = takes(Duration.ofSeconds(10), SAVED);
		give(order(0));
		start();

		pass(Duration.ofMillis(7_400));
		assertThat(consumer().renewals).isEmpty();
		pass(Duration.ofMillis(200));

		assertThat(consumer().renewals).hasSize(1);
	}

	/** One waits for its next attempt, one is in its attempt. */
	@Test
	void forgetsWhatIsNotRenewed() {
		this.backend = (order) -> (number(order) == 0) ? FAILED : sleep(Duration.ofSeconds(20), SAVED);
		give(order(0));
		this.lost.add(0L);
		start();
		pass(Duration.ofSeconds(1));
		assertThat(this.pending.records()).isEqualTo(1);

		pass(Duration.ofSeconds(15));

		assertThat(this.pending.records()).as("it is cancelled").isZero();
		assertThat(consumer().committed).containsExactly("renew 0");
		give(order(1));
		pass(Duration.ofSeconds(21));
		assertThat(consumer().committed).contains("accept 1").doesNotContain("accept 0", "release 0");
	}

	@Test
	void doesNotAcceptWhatItHasLostWhenThatEnds() {
		this.backend = takes(Map.of(0L, 18_000, 1L, 20_000));
		give(order(0), order(1));
		this.lost.add(0L);
		start();

		pass(Duration.ofSeconds(25));

		assertThat(this.calls).isEqualTo(2);
		assertThat(consumer().committed).containsExactlyInAnyOrder("renew 0", "renew 1", "accept 1");
	}

	@Test
	void doesNotPollWhileTheCircuitBreakerIsOpenAndOrdersWait() {
		start();
		pass(Duration.ofSeconds(1));
		open();
		this.pending.add(1);
		pass(Duration.ofSeconds(1));
		int polls = consumer().polls;
		int commits = consumer().commits.size();

		pass(Duration.ofMillis(900));

		assertThat(this.health.tryAcquire()).as("it is open").isFalse();
		assertThat(consumer().polls).isEqualTo(polls);
		assertThat(consumer().commits).as("of what it accepted").hasSizeGreaterThan(commits);
		assertThat(this.source.sinceLastPoll()).isLessThanOrEqualTo(Duration.ofMillis(500));
		close();
		pass(Duration.ofSeconds(1));
		assertThat(consumer().polls).isGreaterThan(polls);
	}

	/** Otherwise none would be tried, and the circuit breaker would stay open. */
	@Test
	void pollsWhileTheCircuitBreakerIsOpenAndNoOrderWaits() {
		start();
		open();
		int polls = consumer().polls;

		pass(Duration.ofMillis(1_900));

		assertThat(this.health.tryAcquire()).as("it is open").isFalse();
		assertThat(consumer().polls).isGreaterThan(polls);
	}

	@Test
	void isNotStuckWhileADeliveryTakesLong() {
		this.backend = takes(Duration.ofMinutes(10), SAVED);
		give(order(0));
		start();

		for (int i = 0; i < 20; i++) {
			pass(Duration.ofMillis(1_250));
			assertThat(this.source.sinceLastPoll()).isLessThanOrEqualTo(Duration.ofMillis(500));
		}
	}

	@Test
	void isNotStuckWhileNothingComes() {
		start();

		pass(Duration.ofMinutes(10));

		assertThat(this.source.sinceLastPoll()).isLessThanOrEqualTo(Duration.ofMillis(500));
	}

	@Test
	void releasesWhatWaitsAndAcceptsWhatEndsWhenItStops() {
		this.backend = (order) -> (number(order) == 0) ? FAILED : sleep(Duration.ofSeconds(3), SAVED);
		give(order(0), order(1));
		start();
		pass(Duration.ofMillis(100));

		stop();
		until(() -> this.pending.records() == 1);
		assertThat(millis()).as("when the one that waits ends").isEqualTo(100);
		until(() -> consumer().closed);

		assertThat(millis()).isEqualTo(3_000);
		assertThat(consumer().committed).containsExactlyInAnyOrder("release 0", "accept 1");
		assertThat(consumer().timeouts).as("of the commit and the close")
			.containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(5));
		assertThat(consumer().polls).isEqualTo(1);
	}

	@Test
	void abandonsWhatDoesNotEndWithinTheDrainTimeout() {
		this.properties.put("delivery.drain-timeout", "2s");
		this.backend = takes(Duration.ofSeconds(10), SAVED);
		give(order(0));
		start();
		pass(Duration.ofMillis(100));

		stop();
		until(() -> consumer().closed);

		assertThat(millis()).isEqualTo(2_100);
		assertThat(consumer().committed).containsExactly("release 0");
		assertThat(this.pending.records()).isZero();
	}

	@Test
	void leavesWhatDoesNotEndAtAllToAnotherConsumer() {
		this.properties.put("delivery.drain-timeout", "2s");
		this.backend = (_) -> {
			Attempt attempt = INTERRUPTED;
			while (attempt == INTERRUPTED) {
				attempt = sleep(Duration.ofSeconds(20), SAVED);
			}
			return attempt;
		};
		give(order(0));
		start();
		pass(Duration.ofMillis(100));

		stop();
		until(() -> consumer().closed);

		assertThat(millis()).as("two seconds, and one for what is abandoned").isEqualTo(3_100);
		assertThat(consumer().committed).isEmpty();
	}

	/** While it stops, too, the locks of what it waits for would expire. */
	@Test
	void renewsLocksWhileItStops() {
		this.properties.put("delivery.drain-timeout", "1m");
		this.backend = takes(Duration.ofSeconds(40), SAVED);
		give(order(0));
		start();
		pass(Duration.ofSeconds(1));

		stop();
		until(() -> consumer().closed);

		assertThat(consumer().committed).containsExactly("renew 0", "renew 0", "accept 0");
	}

	@Test
	void deliversARecordThatHasUsedHalfOfItsDeliveries() {
		give(deliveredTimes(2, order(7)), order(8));
		start();

		pass(Duration.ofSeconds(1));

		assertThat(this.calls).isEqualTo(2);
		assertThat(this.producer.history()).extracting(ProducerRecord::topic).doesNotContain(Topics.ORDERS);
	}

	@Test
	void placesARecordAgainThatHasUsedMoreThanHalfOfItsDeliveries() {
		ConsumerRecord<byte[], byte[]> record = deliveredTimes(3, order(7));
		give(record);
		start();

		pass(Duration.ofSeconds(1));

		assertThat(this.producer.history()).singleElement().satisfies((placed) -> {
			assertThat(placed.topic()).isEqualTo(Topics.ORDERS);
			assertThat(placed.partition()).isNull();
			assertThat(placed.key()).isEqualTo(record.key());
			assertThat(placed.value()).isEqualTo(record.value());
			assertThat(placed.headers().toArray()).containsExactly(record.headers().toArray());
		});
		assertThat(messages(Level.WARN)).last()
			.asString()
			.contains("The record at offset 7 of orders-3 is delivered for the 3th time", "after the 5th");
		assertThat(consumer().committed).containsExactly("accept 7");
		assertThat(this.calls).isZero();
		assertThat(this.pending.records()).isZero();
	}

	@Test
	void deliversEachRecordOnceThoughTheLimitIsOne() {
		this.deliveryLimit = 1;
		give(deliveredTimes(1, order(0)));
		start();

		pass(Duration.ofSeconds(1));

		assertThat(this.calls).isEqualTo(1);
		assertThat(consumer().committed).containsExactly("accept 0");
	}

	@Test
	void acceptsARecordThatItPlacesAgainOnlyWhenKafkaHasIt() {
		this.properties.put("delivery.initial-backoff", "1s");
		this.properties.put("delivery.max-backoff", "1s");
		this.producer.failure = new TimeoutException("no answer");
		give(deliveredTimes(3, order(0)));
		start();
		pass(Duration.ofSeconds(10));
		assertThat(consumer().committed).isEmpty();
		assertThat(this.pending.records()).isEqualTo(1);

		this.producer.failure = null;
		pass(Duration.ofSeconds(2));

		assertThat(consumer().committed).containsExactly("accept 0");
	}

	@Test
	void releasesARecordThatItCannotPlaceAgainWhenItStops() {
		this.properties.put("delivery.initial-backoff", "1s");
		this.properties.put("delivery.max-backoff", "1s");
		this.producer.failure = new TimeoutException("no answer");
		give(deliveredTimes(3, order(0)));
		start();
		pass(Duration.ofMillis(100));

		stop();
		until(() -> consumer().closed);

		assertThat(consumer().committed).containsExactly("release 0");
		assertThat(messages(Level.WARN)).as("besides that of the start").hasSize(1);
	}

	/** One order must not end the delivery of all. */
	@Test
	void deliversARecordThatIsTooLargeToBePlacedAgain() {
		this.producer.failure = new RecordTooLargeException("too large");
		this.backend = (_) -> {
			this.producer.failure = null;
			return SAVED;
		};
		give(deliveredTimes(3, order(7)));
		start();

		pass(Duration.ofSeconds(1));

		assertThat(consumer().committed).containsExactly("accept 7");
		assertThat(this.calls).isEqualTo(1);
		assertThat(messages(Level.WARN)).last()
			.asString()
			.contains("offset 7 of orders-3 is delivered for the 3th time", "max.message.bytes", "too large");
		assertThat(this.pending.records()).isZero();
	}

	@Test
	void releasesARecordThatIsTooLargeToBePlacedAgainWhenItStops() {
		this.producer.failure = new RecordTooLargeException("too large");
		this.backend = (_) -> {
			this.producer.failure = null;
			return FAILED;
		};
		give(deliveredTimes(3, order(0)));
		start();
		pass(Duration.ofMillis(100));

		stop();
		until(() -> consumer().closed);

		assertThat(consumer().committed).containsExactly("release 0");
	}

	@Test
	void endsIfPlacingAgainFailsByABug() {
		this.producer.sendException = new IllegalStateException("a bug");
		give(deliveredTimes(3, order(0)));
		start();

		pass(Duration.ofSeconds(1));

		assertThat(endsOfReaders()).singleElement().satisfies((bug) -> assertThat(bug).hasRootCauseMessage("a bug"));
		assertThat(consumer().committed).isEmpty();
	}

	@Test
	void endsByABugBecauseTheRecordCanNeverBeAccepted() {
		this.backend = (order) -> {
			if (number(order) == 0) {
				return FAILED;
			}
			throw new IllegalStateException("a bug");
		};
		give(order(0), order(1));
		start();

		pass(Duration.ofSeconds(1));

		assertThat(endsOfReaders()).singleElement()
			.isInstanceOfSatisfying(IllegalStateException.class,
					(ex) -> assertThat(ex).hasMessageContaining("can never be accepted").hasRootCauseMessage("a bug"));
		assertThat(consumer().closed).isTrue();
		assertThat(consumer().timeouts).containsExactly(Duration.ofSeconds(5));
		assertThat(consumer().committed).isEmpty();
		assertThat(this.pending.records()).as("the other is cancelled").isZero();
	}

	/** One waits for its next attempt, one is in its attempt until after the restart. */
	@Test
	void beginsAgainWithAnotherConsumerAfterAnErrorOfKafka() {
		Queue<Duration> attempts = new ArrayDeque<>(List.of(Duration.ofSeconds(18), Duration.ofSeconds(10)));
		this.backend = (order) -> (number(order) == 0) ? FAILED : sleep(attempts.remove(), SAVED);
		give(order(0), order(1));
		this.commitFailure = new KafkaException("no coordinator");
		start();

		pass(Duration.ofMillis(15_500));
		assertThat(consumer().closed).isTrue();
		assertThat(consumer().committed).isEmpty();
		assertThat(this.pending.records()).as("what waits is cancelled").isEqualTo(1);
		give(order(1));
		pass(Duration.ofSeconds(1));
		assertThat(this.consumers).hasSize(2);
		assertThat(this.calls).isEqualTo(3);

		pass(Duration.ofSeconds(5));
		assertThat(consumer().committed).as("the delivery of the consumer before has ended").isEmpty();
		pass(Duration.ofSeconds(10));
		assertThat(consumer().committed).containsExactly("accept 1");
	}

	@Test
	void tellsOnceThatTheGroupIsFullAndOnceThatItIsNot() {
		this.properties.put("delivery.share-consumers", "3");
		this.refusals = 6;
		start();

		pass(Duration.ofSeconds(59));
		assertThat(this.consumers).hasSize(6);
		assertThat(messages(Level.INFO)).isEmpty();
		pass(Duration.ofSeconds(11));

		assertThat(this.consumers).as("each tries again every 30 s").hasSize(9);
		assertThat(messages(Level.ERROR)).singleElement()
			.asString()
			.contains("is full", "which has 3", "delivery.share-consumers", "group.share.max.size", "every 30 s",
					"The group has 200 members");
		assertThat(messages(Level.INFO)).singleElement().asString().contains("refuses no consumer");
	}

	@Test
	void callsTheGroupFullAgainWhenItRefusesAgain() {
		this.refusals = 1;
		start();
		pass(Duration.ofSeconds(40));
		assertThat(messages(Level.INFO)).hasSize(1);

		this.refusals = 1;
		consumer().pollFailure = new KafkaException("disconnected");
		pass(Duration.ofSeconds(40));

		assertThat(messages(Level.ERROR)).hasSize(2);
		assertThat(messages(Level.INFO)).hasSize(2);
	}

	@Test
	void doesNotTakeASilentBrokerForOneThatAdmitsIt() {
		this.refusals = 1;
		start();
		pass(Duration.ofSeconds(10));
		this.answers = false;

		pass(Duration.ofMinutes(10));

		assertThat(this.consumers).hasSize(2);
		assertThat(messages(Level.INFO)).isEmpty();
		this.answers = true;
		pass(Duration.ofSeconds(1));
		assertThat(messages(Level.INFO)).hasSize(1);
	}

	private void start() {
		build();
		this.source.start();
		until(() -> !this.consumers.isEmpty() && consumer().topics != null);
	}

	private void build() {
		DeliveryProperties delivery = new Binder(new MapConfigurationPropertySource(this.properties))
			.bindOrCreate("delivery", DeliveryProperties.class);
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		Backoff backoff = new Backoff(delivery.initialBackoff(), delivery.maxBackoff(), () -> 1);
		ReliablePublisher publisher = new ReliablePublisher(() -> this.producer, backoff, this.time);
		Delivery.Context context = new Delivery.Context(new RecordReader(), new PayloadHistory(10),
				new DeliveryLimiter(delivery.concurrency(), this.health, this.time), (order) -> {
					this.calls++;
					return this.backend.apply(order);
				}, new RetryPolicy(backoff, 8, Duration.ofMinutes(1), Duration.ZERO),
				new OutcomePublisher(publisher, JsonMapper.builder().build(), registry),
				new DeadLetters(publisher, registry), new DeliveryTimers(registry), this.process::thread, this.time,
				() -> Instant.parse(Records.TIME).plusNanos(this.time.nanoTime()));
		this.source = new ShareSource(delivery, () -> this.deliveryLimit, () -> {
			ScriptedConsumer consumer = new ScriptedConsumer(this.refusals-- > 0);
			this.consumers.add(consumer);
			return consumer;
		}, context, publisher, this.pending, this.process::thread);
	}

	@SafeVarargs
	private void give(ConsumerRecord<byte[], byte[]>... records) {
		this.given.add(List.of(records));
	}

	private void stop() {
		this.process.thread(this.source::stop).start();
	}

	private ScriptedConsumer consumer() {
		return this.consumers.getLast();
	}

	private long millis() {
		return Duration.ofNanos(this.time.nanoTime()).toMillis();
	}

	/** Lets every thread go on until a time has passed. */
	private void pass(Duration duration) {
		boolean[] passed = { false };
		this.time.after(duration, () -> passed[0] = true);
		until(() -> passed[0]);
	}

	private void until(BooleanSupplier condition) {
		for (int steps = 0; !condition.getAsBoolean(); steps++) {
			assertThat(this.time.step()).as("something can go on").isTrue();
			assertThat(steps).as("steps").isLessThan(MAX_STEPS);
		}
	}

	private void open() {
		for (int i = 0; i < 5; i++) {
			assertThat(this.health.tryAcquire()).isTrue();
			this.health.attempted(new RetryLater(FailureReason.unreachable("down"), false), this.time.nanoTime());
		}
	}

	/** Succeeds with the trials that the circuit breaker permits from 2 s on. */
	private void close() {
		pass(Duration.ofMillis(200));
		for (int i = 0; i < 2; i++) {
			assertThat(this.health.tryAcquire()).isTrue();
			this.health.attempted(SAVED, this.time.nanoTime());
		}
	}

	private Function<QueuedOrder, Attempt> takes(Duration duration, Attempt result) {
		return (_) -> sleep(duration, result);
	}

	/** How many milliseconds the attempt of each order takes, by its number. */
	private Function<QueuedOrder, Attempt> takes(Map<Long, Integer> millis) {
		return (order) -> sleep(Duration.ofMillis(millis.get(number(order))), SAVED);
	}

	private Attempt sleep(Duration duration, Attempt result) {
		try {
			this.time.sleep(duration);
			return result;
		}
		catch (InterruptedException ex) {
			return INTERRUPTED;
		}
	}

	private static long number(QueuedOrder order) {
		return order.id().getLeastSignificantBits();
	}

	/** Its number is its offset. */
	private static ConsumerRecord<byte[], byte[]> order(long number) {
		return Records.order(new UUID(1, number)).at(number);
	}

	private static ConsumerRecord<byte[], byte[]> deliveredTimes(int deliveries,
			ConsumerRecord<byte[], byte[]> record) {
		return new ConsumerRecord<>(record.topic(), record.partition(), record.offset(), record.timestamp(),
				TimestampType.CREATE_TIME, record.serializedKeySize(), record.serializedValueSize(), record.key(),
				record.value(), record.headers(), Optional.empty(), Optional.of((short) deliveries));
	}

	private static Metric metric(String name, double value) {
		MetricName metricName = new MetricName(name, "consumer-share-fetch-manager-metrics", "", Map.of());
		return new Metric() {

			@Override
			public MetricName metricName() {
				return metricName;
			}

			@Override
			public Object metricValue() {
				return value;
			}

		};
	}

	/** Why readers have ended, as the log says. */
	private List<Throwable> endsOfReaders() {
		return this.sourceLog.list.stream()
			.filter((event) -> event.getMessage().contains("has ended"))
			.map((event) -> ((ThrowableProxy) event.getThrowableProxy()).getThrowable())
			.toList();
	}

	private List<String> messages(Level level) {
		return this.log.list.stream()
			.filter((event) -> event.getLevel() == level)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	/** A share consumer as that of Kafka 4.2 with explicit acknowledgement. */
	private final class ScriptedConsumer extends MockShareConsumer<byte[], byte[]> {

		private final boolean refused;

		/** What it handed out; null until that is acknowledged. */
		private final Map<ConsumerRecord<byte[], byte[]>, Optional<AcknowledgeType>> batch = new LinkedHashMap<>();

		private final List<ConsumerRecord<byte[], byte[]>> renewed = new ArrayList<>();

		/** What brokers were told, as {@code accept 0}. */
		private final List<String> committed = new ArrayList<>();

		/** When it committed without a wait, in milliseconds. */
		private final List<Long> commits = new ArrayList<>();

		/** When it renewed locks, in milliseconds. */
		private final List<Long> renewals = new ArrayList<>();

		/** Of the commits and the close. */
		private final List<Duration> timeouts = new ArrayList<>();

		private @Nullable Collection<String> topics;

		private @Nullable KafkaException pollFailure;

		private @Nullable String violation;

		private int polls;

		private int fetches;

		private boolean closed;

		ScriptedConsumer(boolean refused) {
			this.refused = refused;
		}

		@Override
		public void subscribe(Collection<String> topics) {
			this.topics = topics;
		}

		@Override
		public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
			this.polls++;
			if (this.batch.values().stream().anyMatch(Optional::isEmpty)) {
				this.violation = "it polls before all is acknowledged";
			}
			if (this.refused) {
				throw new GroupMaxSizeReachedException("The group has 200 members");
			}
			if (this.pollFailure != null) {
				throw this.pollFailure;
			}
			send();
			List<ConsumerRecord<byte[], byte[]>> records = List.copyOf(this.renewed);
			this.renewed.clear();
			if (records.isEmpty() && ShareConsumerTests.this.given.isEmpty()) {
				sleep(timeout);
			}
			else if (records.isEmpty()) {
				records = ShareConsumerTests.this.given.remove();
			}
			if (ShareConsumerTests.this.answers) {
				this.fetches++;
			}
			records.forEach((record) -> this.batch.put(record, Optional.empty()));
			return new ConsumerRecords<>(
					records.isEmpty() ? Map.of() : Map.of(new TopicPartition(Topics.ORDERS, 3), records), Map.of());
		}

		@Override
		public void acknowledge(ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
			if (!this.batch.containsKey(record)) {
				this.violation = "it acknowledges what it does not hold";
			}
			this.batch.put(record, Optional.of(type));
		}

		private void send() {
			Map<ConsumerRecord<byte[], byte[]>, AcknowledgeType> sent = new LinkedHashMap<>();
			this.batch.forEach((record, type) -> type.ifPresent((of) -> sent.put(record, of)));
			this.batch.keySet().removeAll(sent.keySet());
			if (sent.containsValue(AcknowledgeType.RENEW)) {
				if (Set.copyOf(sent.values()).size() > 1) {
					this.violation = "one request does not only renew";
				}
				this.renewals.add(millis());
			}
			sent.forEach((record, type) -> {
				this.committed.add(type + " " + record.offset());
				if (type == AcknowledgeType.RENEW && !ShareConsumerTests.this.lost.contains(record.offset())) {
					this.renewed.add(record);
				}
			});
		}

		@Override
		public void commitAsync() {
			this.commits.add(millis());
			send();
		}

		@Override
		public Map<TopicIdPartition, Optional<KafkaException>> commitSync(Duration timeout) {
			KafkaException failure = ShareConsumerTests.this.commitFailure;
			if (failure != null) {
				ShareConsumerTests.this.commitFailure = null;
				throw failure;
			}
			if (!ShareConsumerTests.this.source.isRunning()) {
				this.timeouts.add(timeout);
			}
			send();
			return Map.of();
		}

		@Override
		public Optional<Integer> acquisitionLockTimeoutMs() {
			return Optional.ofNullable(ShareConsumerTests.this.lockMillis);
		}

		@Override
		public synchronized Map<MetricName, Metric> metrics() {
			return Stream.of(metric("fetch-latency-avg", Double.NaN), metric("fetch-total", (double) this.fetches))
				.collect(Collectors.toMap(Metric::metricName, (metric) -> metric));
		}

		private void sleep(Duration timeout) {
			try {
				ShareConsumerTests.this.time.sleep(timeout);
			}
			catch (InterruptedException ex) {
				throw new InterruptException(ex);
			}
		}

		@Override
		public void close(Duration timeout) {
			this.timeouts.add(timeout);
			this.closed = true;
		}

	}

	/** Acknowledges at once, or fails. */
	private static final class ScriptedProducer extends MockProducer<byte[], byte[]> {

		private @Nullable RuntimeException failure;

		ScriptedProducer() {
			super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
		}

		@Override
		public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
			if (this.failure != null) {
				callback.onCompletion(null, this.failure);
				return new CompletableFuture<>();
			}
			return super.send(record, callback);
		}

	}

}
