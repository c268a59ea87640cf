package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.queue.RecentOrders.Acceptance;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import dev.sluice.gateway.core.queue.RecentOrders.SyncSave;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests recent orders with Kafka clients that answer as the test decides. */
class RecentOrdersTests {

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00.123456Z");

	private static final Fingerprint FINGERPRINT = Fingerprint.ofJson("{}".getBytes(StandardCharsets.UTF_8));

	private static final TopicPartition ORDERS = new TopicPartition(Topics.ORDERS, 0);

	private static final TopicPartition OUTCOMES = new TopicPartition(Topics.ORDER_OUTCOMES, 0);

	private static final int CAPACITY = 10;

	private static final Duration SNAPSHOT_INTERVAL = Duration.ofMillis(500);

	private static final Duration LOST = Duration.ofSeconds(3);

	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final Duration RETRY = Duration.ofSeconds(1);

	/** Longer than any test. */
	private static final Duration PATIENCE = Duration.ofHours(1);

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(RecentOrders.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final UUID id = UUID.randomUUID();

	private final AtomicLong nanos = new AtomicLong(7);

	/** The rests of the reading thread. */
	private final List<Duration> rests = new CopyOnWriteArrayList<>();

	private volatile boolean restsUntilUnparked;

	private final List<Runnable> tasks = new ArrayList<>();

	private boolean holdsTasks;

	/** How long it takes to open the clients. */
	private volatile Duration opening = Duration.ZERO;

	private final FakeKafka kafka = new FakeKafka();

	private final RecentOrders orders = new RecentOrders(
			new StatusProperties(Duration.ofSeconds(1), CAPACITY, FakeKafka.GROUP, Duration.ofSeconds(1)), this::open,
			JsonMapper.shared(), this.meters, this::runTask, this.nanos::get, this::rest);

	@BeforeEach
	void listen() {
		// The reading thread logs while the test looks.
		this.log.list = new CopyOnWriteArrayList<>();
		this.log.start();
		LOGGER.addAppender(this.log);
		LOGGER.setAdditive(false);
	}

	@AfterEach
	void stop() {
		this.kafka.releasePoll();
		this.restsUntilUnparked = false;
		this.orders.stop();
		LOGGER.detachAppender(this.log);
		LOGGER.setAdditive(true);
	}

	@Test
	void doesNotSayThatItKnowsAllBeforeItReads() {
		assertThat(this.orders.caughtUp(Duration.ZERO).join()).isEqualTo(Reading.BEHIND);
		assertThat(this.orders.isRunning()).isFalse();
	}

	@Test
	void knowsASynchronousSaveWhileItsOutcomeIsPublished() {
		this.orders.publishing(this.id, FINGERPRINT, TIME);

		SyncSave save = this.orders.syncSave(this.id);
		assertThat(save).isNotNull();
		assertThat(save.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(save.savedAt()).isEqualTo(TIME);
		assertThat(size()).isEqualTo(1);

		this.orders.notPublished(this.id);
		assertThat(this.orders.syncSave(this.id)).isNull();
		assertThat(size()).isZero();
	}

	/** Otherwise it would never learn that the projection has committed the order. */
	@Test
	void keepsNothingOfAPartitionThatItDoesNotRead() {
		this.orders.accepted(this.id, FINGERPRINT, TIME, 0, 7);
		this.orders.publishing(this.id, FINGERPRINT, TIME);
		this.orders.published(this.id, 0, 7);

		assertThat(this.orders.acceptance(this.id)).isNull();
		assertThat(this.orders.syncSave(this.id)).isNull();
		assertThat(size()).isZero();
	}

	@Test
	void stopsWithoutHavingStarted() {
		this.orders.stop();

		assertThat(this.orders.isRunning()).isFalse();
		assertThat(this.orders.getPhase()).as("started before the web server").isZero();
	}

	@Test
	void knowsWhatTheTopicsHaveWhenItSaysSo() {
		UUID save = UUID.randomUUID();
		this.kafka.accept(this.id, TIME);
		this.kafka.publish(OrderOutcome.savedSync(save, "c-1", TIME, null));

		start();

		assertThat(this.orders.acceptance(this.id)).isEqualTo(new Acceptance(null, TIME, TIME, 0, 0));
		assertThat(this.orders.syncSave(save)).isEqualTo(new SyncSave(null, TIME, 0));
		assertThat(size()).isEqualTo(2);
		assertThat(this.orders.isRunning()).isTrue();
	}

	@Test
	void beginsWhereTheProjectionIs() {
		UUID pending = UUID.randomUUID();
		this.kafka.accept(this.id, TIME);
		this.kafka.accept(pending, TIME);
		this.kafka.commit(ORDERS, 1);

		start();

		assertThat(this.orders.acceptance(this.id)).isNull();
		assertThat(this.orders.acceptance(pending)).isNotNull();
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
	void callersThatComeWhileKafkaIsAskedShareTheNextQuestion() {
		start();
		int questions = this.kafka.questions();
		this.kafka.answersEnds(false);

		CompletableFuture<Reading> first = this.orders.caughtUp(PATIENCE);
		CompletableFuture<Reading> second = this.orders.caughtUp(PATIENCE);
		CompletableFuture<Reading> third = this.orders.caughtUp(PATIENCE);
		assertThat(this.kafka.questions()).isEqualTo(questions + 1);
		this.kafka.answersEnds(true);

		assertThat(first.join()).isEqualTo(Reading.CURRENT);
		assertThat(second.join()).isEqualTo(Reading.CURRENT);
		assertThat(third.join()).isEqualTo(Reading.CURRENT);
		assertThat(this.kafka.questions()).isEqualTo(questions + 2);
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
		pass(SNAPSHOT_INTERVAL);

		await().until(() -> this.orders.acceptance(this.id) == null);
		this.orders.accepted(this.id, null, TIME, 0, 0);
		assertThat(this.orders.acceptance(this.id)).as("an acknowledgement that comes late").isNull();
	}

	@Test
	void looksAtTheTopicsEveryHalfSecond() {
		start();
		int snapshots = this.kafka.snapshots();

		pass(SNAPSHOT_INTERVAL.minusNanos(1));
		this.kafka.awaitPolls(3);
		assertThat(this.kafka.snapshots()).isEqualTo(snapshots);
		pass(Duration.ofNanos(1));

		await().until(() -> this.kafka.snapshots() == snapshots + 1);
		this.kafka.awaitPolls(3);
		assertThat(this.kafka.snapshots()).isEqualTo(snapshots + 1);
	}

	@Test
	void knowsTheLagWithoutACaller() {
		start();
		this.kafka.endsAt(ORDERS, 5);

		pass(SNAPSHOT_INTERVAL);

		await().until(() -> lag() == 5);
	}

	@Test
	void asksAtEachLookNoMoreThanOnce() {
		start();
		this.kafka.answersEnds(false);
		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);
		int questions = this.kafka.questions();
		int snapshots = this.kafka.snapshots();

		pass(SNAPSHOT_INTERVAL);
		await().until(() -> this.kafka.snapshots() == snapshots + 1);
		this.kafka.awaitPolls(3);

		assertThat(this.kafka.questions()).isEqualTo(questions);
		assertThat(reading).isNotDone();
		this.kafka.answersEnds(true);
		assertThat(reading.join()).isEqualTo(Reading.CURRENT);
	}

	@Test
	void knowsAtOnceWhatThisGatewayHasHadAcknowledged() {
		start();
		UUID saved = UUID.randomUUID();
		this.orders.publishing(saved, FINGERPRINT, TIME);

		this.orders.accepted(this.id, FINGERPRINT, TIME, 0, 0);
		this.orders.published(saved, 0, 0);

		assertThat(this.orders.acceptance(this.id)).isEqualTo(new Acceptance(FINGERPRINT, TIME, TIME, 0, 0));
		assertThat(this.orders.syncSave(saved)).isEqualTo(new SyncSave(FINGERPRINT, TIME, 0));
		this.kafka.commit(OUTCOMES, 1);
		pass(SNAPSHOT_INTERVAL);
		await().until(() -> this.orders.syncSave(saved) == null);
	}

	/** The thread of a request would otherwise wait for the lock. */
	@Test
	void leavesTheTasksOfRequestsToAnotherThread() {
		start();
		int questions = this.kafka.questions();
		this.holdsTasks = true;

		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);
		this.orders.accepted(this.id, FINGERPRINT, TIME, 0, 0);

		this.kafka.awaitPolls(3);
		assertThat(reading).isNotDone();
		assertThat(this.kafka.questions()).isEqualTo(questions);
		assertThat(this.orders.acceptance(this.id)).isNull();

		runHeldTasks();
		assertThat(reading.join()).isEqualTo(Reading.CURRENT);
		assertThat(this.orders.acceptance(this.id)).isNotNull();
	}

	@Test
	void isBehindIfTooManyTasksWait() {
		start();
		this.holdsTasks = true;
		for (int i = 0; i < RecentOrders.MAX_WAITING; i++) {
			this.orders.accepted(UUID.randomUUID(), null, TIME, 0, i);
		}

		assertThat(this.orders.caughtUp(PATIENCE)).isCompletedWithValue(Reading.BEHIND);
		this.orders.accepted(this.id, null, TIME, 0, RecentOrders.MAX_WAITING);
		assertThat(this.tasks).hasSize(RecentOrders.MAX_WAITING);

		runHeldTasks();
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
	}

	@Test
	void readsATopicThatWasCreatedAgainFromItsStart() {
		this.kafka.accept(this.id, TIME);
		start();
		this.kafka.answersEnds(false);
		CompletableFuture<Reading> before = this.orders.caughtUp(PATIENCE);

		this.kafka.createAgain();
		pass(SNAPSHOT_INTERVAL);

		assertThat(before.join()).as("the question was about the topic before").isEqualTo(Reading.BEHIND);
		assertThat(this.orders.acceptance(this.id)).isNull();
		this.kafka.answersEnds(true);
		UUID after = UUID.randomUUID();
		this.kafka.accept(after, TIME);
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		assertThat(this.orders.acceptance(after)).isNotNull();
	}

	@Test
	void isBehindWhileATopicIsMissing() {
		this.kafka.delete(Topics.ORDER_OUTCOMES);
		this.orders.start();
		await().until(() -> this.kafka.snapshots() == 1);
		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);

		pass(SNAPSHOT_INTERVAL);

		assertThat(reading.join()).isEqualTo(Reading.BEHIND);
		assertThat(this.kafka.questions()).isZero();
	}

	@Test
	void answersCallersThatComeWhileThereIsMuchToRead() {
		start();
		this.kafka.endsAt(ORDERS, 1_000);
		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);
		await().until(() -> lag() == 1_000);
		int snapshots = this.kafka.snapshots();

		pass(LOST);
		await().until(() -> this.kafka.snapshots() == snapshots + 1);
		this.kafka.awaitPolls(3);
		assertThat(reading).isNotDone();
		pass(Duration.ofNanos(1));

		assertThat(reading.join()).isEqualTo(Reading.BEHIND);
	}

	@Test
	void saysThatKafkaIsLostAndThatItIsBack() {
		start();
		this.kafka.answers(false);
		CompletableFuture<Reading> asked = this.orders.caughtUp(PATIENCE);
		CompletableFuture<Reading> waiting = this.orders.caughtUp(PATIENCE);

		pass(LOST);
		this.kafka.awaitPolls(3);
		assertThat(asked).isNotDone();
		pass(Duration.ofNanos(1));

		assertThat(asked.join()).isEqualTo(Reading.UNREACHABLE);
		assertThat(waiting.join()).isEqualTo(Reading.UNREACHABLE);
		assertThat(this.orders.caughtUp(PATIENCE)).isCompletedWithValue(Reading.UNREACHABLE);
		this.kafka.awaitPolls(3);
		assertThat(logged(Level.WARN)).as("once for an outage").isEqualTo(1);
		this.kafka.answers(true);
		await().until(() -> this.orders.caughtUp(PATIENCE).join() == Reading.CURRENT);
		await().until(() -> logged(Level.INFO) == 1);
	}

	@Test
	void tellsOfAFailureButNotOfAShortAbsence() {
		start();
		int snapshots = this.kafka.snapshots();

		this.kafka.failsLooks(new TimeoutException("no answer"));
		pass(SNAPSHOT_INTERVAL);
		await().until(() -> this.kafka.snapshots() == snapshots + 1);
		this.kafka.awaitPolls(3);
		assertThat(logged(Level.WARN)).isZero();
		this.kafka.failsLooks(new AuthorizationException("no right to describe the group"));
		pass(SNAPSHOT_INTERVAL);

		await().until(() -> logged(Level.WARN) == 1);
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
	}

	@Test
	void goesOnWithNewClientsAfterAFailure() {
		this.kafka.accept(this.id, TIME);
		start();
		this.kafka.answersEnds(false);
		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);

		this.kafka.failPoll(new AuthorizationException("no right to read"));

		assertThat(reading.join()).isEqualTo(Reading.BEHIND);
		await().until(() -> this.kafka.closed() == 1);
		await().until(() -> logged(Level.WARN) == 1);
		this.kafka.answersEnds(true);
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		assertThat(this.orders.acceptance(this.id)).isNotNull();
		assertThat(this.kafka.opened()).isEqualTo(2);
		UUID later = UUID.randomUUID();
		this.kafka.accept(later, TIME);
		await().until(() -> this.orders.acceptance(later) != null);
	}

	/** Includes callers that share the next question. */
	@Test
	void answersAllItsCallersAtOnceWhenItLosesItsClients() {
		start();
		this.kafka.answersEnds(false);
		CompletableFuture<Reading> asked = this.orders.caughtUp(PATIENCE);
		CompletableFuture<Reading> waiting = this.orders.caughtUp(PATIENCE);

		this.kafka.failsToOpen(true);
		this.kafka.failPoll(new AuthorizationException("no right to read"));

		await().until(() -> asked.isDone() && waiting.isDone());
		assertThat(asked.join()).isEqualTo(Reading.BEHIND);
		assertThat(waiting.join()).isEqualTo(Reading.BEHIND);
	}

	@Test
	void saysThatKafkaIsLostIfNoClientCanBeOpened() {
		this.kafka.failsToOpen(true);
		this.orders.start();
		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);

		pass(LOST);
		int opened = this.kafka.opened();
		await().until(() -> this.kafka.opened() >= opened + 2);
		assertThat(reading).isNotDone();
		pass(Duration.ofNanos(1));

		assertThat(reading.join()).isEqualTo(Reading.UNREACHABLE);
	}

	/** Then Kafka could not answer, because the gateway stood still. */
	@Test
	void givesKafkaTheTimeAgainAfterAPauseOfTheGateway() {
		start();
		this.kafka.answers(false);
		CompletableFuture<Reading> before = this.orders.caughtUp(PATIENCE);
		this.kafka.holdPoll();

		pass(LOST.plusNanos(1));
		assertThat(this.orders.caughtUp(PATIENCE)).as("before the reading thread goes on").isNotDone();
		this.kafka.releasePoll();
		this.kafka.awaitPolls(3);
		assertThat(before).isNotDone();
		pass(LOST);
		this.kafka.awaitPolls(3);
		assertThat(before).isNotDone();
		assertThat(logged(Level.WARN)).isZero();
		pass(Duration.ofNanos(1));

		assertThat(before.join()).isEqualTo(Reading.UNREACHABLE);
	}

	@Test
	void aPauseEndsNoOutage() {
		start();
		this.kafka.answers(false);
		pass(LOST);
		this.kafka.awaitPolls(3);
		pass(Duration.ofNanos(1));
		await().until(() -> logged(Level.WARN) == 1);

		pass(LOST.plusNanos(1));
		this.kafka.awaitPolls(3);

		assertThat(this.orders.caughtUp(PATIENCE)).isCompletedWithValue(Reading.UNREACHABLE);
	}

	/** A name server that does not answer is no pause of the gateway. */
	@Test
	void saysThatKafkaIsLostHoweverLongItTakesToOpenAClient() {
		this.kafka.failsToOpen(true);
		this.opening = LOST.plusNanos(1);

		this.orders.start();

		await().until(() -> this.orders.caughtUp(Duration.ZERO).join() == Reading.UNREACHABLE);
	}

	@Test
	void closesItsClientsWhenItStops() {
		start();

		this.orders.stop();

		assertThat(this.kafka.closed()).isEqualTo(1);
		assertThat(this.orders.isRunning()).isFalse();
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
	void kafkaIsThereWhileItTellsTheEndsOfTheTopics() {
		start();
		this.kafka.answersLooks(false);

		pass(LOST);
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		pass(LOST);

		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		assertThat(logged(Level.WARN)).isZero();
	}

	@Test
	void aLongPauseBeforeTheStartIsNoOutage() {
		pass(LOST.plusNanos(1));

		start();

		assertThat(logged(Level.WARN)).isZero();
	}

	@Test
	void isBehindUntilTheProjectionHasPassedWhatItCannotKeep() {
		for (int i = 0; i < CAPACITY + 1; i++) {
			this.kafka.accept(UUID.randomUUID(), TIME);
		}
		this.orders.start();
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.BEHIND);
		assertThat(size()).isEqualTo(CAPACITY);

		this.kafka.commit(ORDERS, 1);
		pass(SNAPSHOT_INTERVAL);

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

	@Test
	void tellsOfEachOutage() {
		start();
		for (int outage = 1; outage <= 2; outage++) {
			int times = outage;
			this.kafka.failsLooks(new AuthorizationException("no right to describe the group"));
			pass(SNAPSHOT_INTERVAL);
			await().until(() -> logged(Level.WARN) == times);
			this.kafka.failsLooks(null);
			pass(SNAPSHOT_INTERVAL);
			await().until(() -> logged(Level.INFO) == times);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { IllegalStateException.class, StackOverflowError.class })
	void goesOnAfterABug(Class<? extends Throwable> bug) throws ReflectiveOperationException {
		this.kafka.accept(this.id, TIME);
		start();

		this.kafka.failPoll(bug.getConstructor().newInstance());

		await().until(() -> this.kafka.opened() == 2);
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		assertThat(this.orders.acceptance(this.id)).isNotNull();
		assertThat(logged(Level.ERROR)).isEqualTo(1);
	}

	@Test
	void restsAfterEachFailure() {
		this.kafka.failsToOpen(true);

		this.orders.start();

		await().until(() -> this.kafka.opened() >= 3);
		assertThat(this.rests).hasSizeGreaterThanOrEqualTo(2).containsOnly(RETRY);
	}

	@Test
	void restsWhileThereIsNothingToRead() {
		this.kafka.answersLooks(false);

		this.orders.start();

		await().until(() -> this.rests.size() >= 3);
		assertThat(this.rests).containsOnly(PAUSE);
	}

	/** A full one means that there are more. */
	@ParameterizedTest
	@CsvSource({ "1, 1", "1999, 1", "2000, 0" })
	void restsAfterABatchThatIsNotFull(int records, int expected) {
		for (int i = 1; i < records; i++) {
			this.kafka.accept(UUID.randomUUID(), TIME);
		}
		this.kafka.accept(this.id, TIME);

		this.orders.start();

		await().until(() -> this.orders.acceptance(this.id) != null);
		this.kafka.awaitPolls(3);
		assertThat(this.rests).hasSize(expected).allMatch(PAUSE::equals);
	}

	@Test
	void doesNotRestWhileACallerWaitsForMore() {
		start();
		this.kafka.endsAt(ORDERS, 2);
		CompletableFuture<Reading> reading = this.orders.caughtUp(PATIENCE);

		this.kafka.accept(this.id, TIME);
		await().until(() -> this.orders.acceptance(this.id) != null);
		this.kafka.awaitPolls(3);

		assertThat(reading).isNotDone();
		assertThat(this.rests).isEmpty();
	}

	@Test
	void aCallerEndsItsRest() {
		this.restsUntilUnparked = true;
		this.kafka.accept(this.id, TIME);
		this.orders.start();
		await().until(() -> this.rests.size() == 1);

		this.kafka.accept(UUID.randomUUID(), TIME);

		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		assertThat(size()).isEqualTo(2);
	}

	@Test
	void aStopEndsItsRest() {
		this.restsUntilUnparked = true;
		this.kafka.accept(this.id, TIME);
		this.orders.start();
		await().until(() -> this.rests.size() == 1);

		this.orders.stop();

		assertThat(this.kafka.closed()).isEqualTo(1);
	}

	private void start() {
		this.orders.start();
		assertThat(this.orders.caughtUp(PATIENCE).join()).isEqualTo(Reading.CURRENT);
		// The answer may come before the look is done with, which then asks once more.
		this.kafka.awaitPolls(1);
	}

	private RecentClients open() {
		pass(this.opening);
		return this.kafka.clients();
	}

	private void runTask(Runnable task) {
		if (this.holdsTasks) {
			this.tasks.add(task);
		}
		else {
			task.run();
		}
	}

	private void runHeldTasks() {
		this.holdsTasks = false;
		this.tasks.forEach(Runnable::run);
		this.tasks.clear();
	}

	private void rest(long nanos) {
		// Ends at once if it was unparked before.
		LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		this.rests.add(Duration.ofNanos(nanos));
		if (this.restsUntilUnparked) {
			LockSupport.parkNanos(PATIENCE.toNanos());
		}
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	private double size() {
		return this.meters.get("sluice.recent.orders").gauge().value();
	}

	private double lag() {
		return this.meters.get("sluice.recent.lag").gauge().value();
	}

	private long logged(Level level) {
		return this.log.list.stream().filter((event) -> event.getLevel() == level).count();
	}

}
