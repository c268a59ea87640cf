package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests recent orders with Kafka clients that answer as the test decides. What a real
 * Kafka shows is in RecentOrdersIT.
 */
class RecentOrdersTests {

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00.123456Z");

	private static final Fingerprint FINGERPRINT = Fingerprint.ofJson("{}".getBytes(StandardCharsets.UTF_8));

	private static final TopicPartition ORDERS = new TopicPartition(Topics.ORDERS, 0);

	private static final TopicPartition OUTCOMES = new TopicPartition(Topics.ORDER_OUTCOMES, 0);

	private static final int CAPACITY = 10;

	private static final StatusProperties PROPERTIES = new StatusProperties(Duration.ofSeconds(1), CAPACITY,
			FakeKafka.GROUP, Duration.ofSeconds(1));

	/** Longer than any test. */
	private static final Duration PATIENCE = Duration.ofHours(1);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final UUID id = UUID.randomUUID();

	private final FakeKafka kafka = new FakeKafka();

	private final List<String> failures = new CopyOnWriteArrayList<>();

	private RecentOrders orders = orders(Duration.ofMillis(100));

	@AfterEach
	void stop() {
		this.kafka.releasePoll();
		this.orders.stop();
	}

	@Test
	void doesNotSayThatItKnowsAllBeforeItReads() {
		assertThat(this.orders.caughtUp(Duration.ZERO).join()).isEqualTo(Reading.BEHIND);
		assertThat(this.orders.isRunning()).isFalse();
	}

	/** Otherwise it would never learn that the projection has committed the order. */
	@Test
	void keepsNothingOfAPartitionThatItDoesNotRead() {
		this.orders.accepted(new RecentRecord(this.id, FINGERPRINT, TIME, 7), 0);
		this.orders.publishing(this.id, FINGERPRINT, TIME);
		this.orders.published(this.id, new RecordMetadata(OUTCOMES, 7, 0, 0, 0, 0));

		assertThat(this.orders.acceptance(this.id)).isNull();
		assertThat(this.orders.syncSave(this.id)).isNull();
	}

	@Test
	void knowsAcceptancesAndSynchronousSavesOfTheTopicsWhenItSaysSo() {
		UUID save = UUID.randomUUID();
		this.kafka.accept(this.id, TIME);
		this.kafka.publish(OrderOutcome.savedSync(save, "c-1", TIME, FINGERPRINT));
		this.kafka.publish(new OrderOutcome(UUID.randomUUID(), "c-1", OrderStatus.SAVED, 1, TIME, TIME, null, null));

		this.orders.start();

		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		assertThat(this.orders.acceptance(this.id)).isEqualTo(new RecentRecord(this.id, null, TIME, 0));
		assertThat(this.orders.syncSave(save)).isEqualTo(new RecentRecord(save, FINGERPRINT, TIME, 0));
		assertThat(size()).isEqualTo(2);
		assertThat(this.orders.isRunning()).isTrue();
	}

	@Test
	void knowsNothingWhileATopicIsMissing() {
		this.kafka.accept(this.id, TIME);
		this.orders = orders(Duration.ofMillis(1));
		this.kafka.hasTopics(false);
		this.orders.start();
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.BEHIND);

		this.kafka.hasTopics(true);
		await().until(() -> this.orders.caughtUp(PATIENCE).join() == Reading.CURRENT);

		this.kafka.hasTopics(false);
		await().until(() -> this.orders.caughtUp(PATIENCE).join() == Reading.BEHIND);
		assertThat(this.orders.acceptance(this.id)).isNull();
	}

	@Test
	void waitsUntilItHasReadWhatWasThereWhenItWasAsked() {
		start();
		this.kafka.endsAt(ORDERS, 1);

		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);
		await().until(() -> lag() == 1);
		this.kafka.awaitPolls(3);
		assertThat(reading).isNotDone();
		this.kafka.accept(this.id, TIME);

		assertThat(reading.join()).isEqualTo(Reading.CURRENT);
		assertThat(this.orders.acceptance(this.id)).isNotNull();
		assertThat(lag()).isZero();
	}

	@Test
	void waitsNoLongerThanItsCallerAllows() {
		start();
		this.kafka.endsAt(ORDERS, 1);

		assertThat(this.orders.caughtUp(Duration.ofMillis(1)).join()).isEqualTo(Reading.BEHIND);
	}

	@Test
	void isBehindIfKafkaDoesNotTellTheEnds() {
		start();
		this.kafka.failsEnds(new TimeoutException("no answer"));

		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.BEHIND);
	}

	@Test
	void forgetsWhatTheProjectionHasCommitted() {
		this.kafka.accept(this.id, TIME);
		start();

		this.kafka.commit(ORDERS, 1);

		await().until(() -> this.orders.acceptance(this.id) == null);
		this.orders.accepted(new RecentRecord(this.id, null, TIME, 0), 0);
		assertThat(this.orders.acceptance(this.id)).as("an acknowledgement that comes late").isNull();
	}

	@Test
	void knowsThatTheProjectionCommitsNothing() {
		this.orders = orders(Duration.ofMillis(1));
		start();
		assertThat(this.orders.isProjectionBehind()).isFalse();

		this.kafka.accept(this.id, TIME);

		await().until(this.orders::isProjectionBehind);
		this.kafka.commit(ORDERS, 1);
		await().until(() -> !this.orders.isProjectionBehind());
	}

	@Test
	void knowsTheLagWithoutACaller() {
		start();
		this.kafka.endsAt(ORDERS, 5);

		await().until(() -> lag() == 5);
	}

	@Test
	void anInterruptEndsTheWaitForItsStopAndStays() {
		start();
		this.kafka.holdPoll();

		Thread.currentThread().interrupt();
		this.orders.stop();

		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.orders.isRunning()).isFalse();
	}

	@Test
	void isBehindUntilTheProjectionHasPassedWhatItCannotKeep() {
		for (int i = 0; i < CAPACITY + 1; i++) {
			this.kafka.accept(UUID.randomUUID(), TIME);
		}
		this.orders.start();
		await().until(() -> size() == CAPACITY);
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.BEHIND);

		this.kafka.commit(ORDERS, 1);

		await().until(() -> this.orders.caughtUp(PATIENCE).join() == Reading.CURRENT);
	}

	/** Nobody waits for the end of a poll in which nothing comes. */
	@Test
	void answersWhileItWaitsForMoreRecords() {
		start();
		this.kafka.holdPoll();

		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
	}

	@Test
	void answersItsCallersWhenItStops() {
		start();
		this.kafka.answersEnds(false);
		CompletableFuture<Reading> asked = this.orders.caughtUp(PATIENCE);
		CompletableFuture<Reading> waiting = this.orders.caughtUp(PATIENCE);

		this.orders.stop();

		assertThat(asked.join()).isEqualTo(Reading.BEHIND);
		assertThat(waiting.join()).isEqualTo(Reading.BEHIND);
	}

	@ParameterizedTest
	@ValueSource(classes = { IllegalStateException.class, StackOverflowError.class })
	void goesOnAfterABug(Class<? extends Throwable> bug) throws ReflectiveOperationException {
		this.kafka.accept(this.id, TIME);
		start();

		this.kafka.failPoll(bug.getConstructor().newInstance());

		await().until(() -> this.failures.contains("recent-orders"));
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		assertThat(this.orders.acceptance(this.id)).isNotNull();
		this.orders.stop();
		assertThat(this.kafka.closed()).as("an admin client and two consumers").isEqualTo(3);
	}

	@Test
	void answersCallersThatComeWhileThereIsMuchToRead() {
		this.orders = orders(Duration.ofMillis(1));
		start();
		this.kafka.endsAt(ORDERS, 1_000);

		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.BEHIND);
	}

	@Test
	void saysThatKafkaIsLostAndThatItIsBack() {
		this.kafka.accept(this.id, TIME);
		this.orders = orders(Duration.ofMillis(1));
		start();

		this.kafka.answers(false);
		CompletableFuture<Reading> asked = this.orders.caughtUp(PATIENCE);
		assertThat(asked.join()).isEqualTo(Reading.UNREACHABLE);
		assertThat(this.orders.caughtUp(PATIENCE)).isCompletedWithValue(Reading.UNREACHABLE);
		assertThat(this.orders.acceptance(this.id)).isNotNull();

		this.kafka.answers(true);
		await().until(() -> this.orders.caughtUp(PATIENCE).join() == Reading.CURRENT);
	}

	/** An unread order must not be taken for one that is not there. */
	@Test
	void isBehindWhileKafkaIsLostIfItHasNeverReadEverything() {
		this.kafka.accept(this.id, TIME);
		this.kafka.answersEnds(false);
		this.orders = orders(Duration.ofMillis(1));
		this.orders.start();
		await().until(() -> this.orders.acceptance(this.id) != null);

		this.kafka.answers(false);

		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.BEHIND);
		assertThat(this.orders.caughtUp(PATIENCE)).as("at once").isCompletedWithValue(Reading.BEHIND);
	}

	@Test
	void isBehindWhileKafkaIsLostIfItHasLostWhatItHadRead() {
		this.orders = orders(Duration.ofMillis(1));
		start();
		this.kafka.answers(false);
		await().until(() -> this.orders.caughtUp(PATIENCE).join() == Reading.UNREACHABLE);

		this.kafka.failPoll(new IllegalStateException("a bug"));

		await().until(() -> this.orders.caughtUp(Duration.ofMillis(1)).join() == Reading.BEHIND);
	}

	/** An order must not be taken for one that is not there. */
	@Test
	void isBehindIfItLosesWhatItHasReadBeforeTheOrderIsLookedUp() {
		this.kafka.accept(this.id, TIME);
		this.orders = new RecentOrders(PROPERTIES, this.kafka::topics, this.kafka::admin, this.kafka::consumer,
				JsonMapper.shared(), this.meters, new Supervisor(this.failures::add), Duration.ofMillis(100)) {

			@Override
			public RecentRecord acceptance(UUID id) {
				RecentOrdersTests.this.kafka.failPoll(new IllegalStateException("a bug"));
				await().until(() -> RecentOrdersTests.this.failures.contains("recent-orders"));
				return super.acceptance(id);
			}

		};
		start();

		assertThat(RecentOrder.caughtUp(this.id, this.orders, PATIENCE).join().reading()).isEqualTo(Reading.BEHIND);
	}

	@Test
	void goesOnAfterARefusalOfKafka() {
		start();
		this.kafka.failsLooks(new AuthorizationException("no right to describe the group"));
		await().until(() -> this.failures.contains("recent-orders"));

		this.kafka.failsLooks(null);

		await().until(() -> this.orders.caughtUp(Duration.ofMillis(100)).join() == Reading.CURRENT);
	}

	private RecentOrders orders(Duration wait) {
		return new RecentOrders(PROPERTIES, this.kafka::topics, this.kafka::admin, this.kafka::consumer,
				JsonMapper.shared(), this.meters, new Supervisor(this.failures::add), wait);
	}

	private void start() {
		this.orders.start();
		await().until(() -> this.orders.caughtUp(PATIENCE).join() == Reading.CURRENT);
	}

	private double size() {
		return this.meters.get("sluice.recent.orders").gauge().value();
	}

	private double lag() {
		return this.meters.get("sluice.recent.lag").gauge().value();
	}

}
