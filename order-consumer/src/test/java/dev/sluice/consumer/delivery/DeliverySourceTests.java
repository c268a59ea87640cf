package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.SetTime;
import dev.sluice.consumer.Time;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Ten readers, which fail as a test says. Their pauses last until the test ends them. */
class DeliverySourceTests {

	private static final int READERS = 10;

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(DeliverySource.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final CountDownLatch ended = new CountDownLatch(READERS);

	private final Pauses pauses = new Pauses();

	private final AtomicInteger preparations = new AtomicInteger();

	/** How often preparing fails before it succeeds. */
	private final AtomicInteger unprepared = new AtomicInteger();

	private final CountDownLatch reading = new CountDownLatch(READERS);

	/** How often reading fails before it succeeds. */
	private final AtomicInteger unread = new AtomicInteger();

	/** Number of readers that end with a bug. */
	private final AtomicInteger bugs = new AtomicInteger();

	/** Number of readers with a consumer that fail. */
	private final AtomicInteger failures = new AtomicInteger();

	/** Whether polls continue although the source stops. */
	private volatile boolean stuck;

	/** Called when the source ends a poll. */
	private Runnable atEnd = () -> {
	};

	private boolean refuses;

	private boolean interrupted;

	private final DeliverySource source = new TestSource();

	@BeforeEach
	void listen() {
		this.log.start();
		LOGGER.addAppender(this.log);
		LOGGER.setAdditive(false);
	}

	@AfterEach
	void stop() {
		this.stuck = false;
		this.source.stop();
		LOGGER.detachAppender(this.log);
		LOGGER.setAdditive(true);
	}

	@Test
	void tellsOnceOfAnErrorOfAllReadersAndPreparesOnceMore() {
		this.unread.set(READERS);

		this.source.start();

		await().until(() -> this.pauses.begun.get() == READERS);
		assertThat(errors()).containsExactly("Consuming orders failed. Restarting in 1 s");
		assertThat(this.preparations).hasValue(1);
		this.pauses.end(READERS);
		await().until(() -> this.source.connected() == READERS);
		assertThat(errors()).hasSize(1);
		assertThat(this.preparations).hasValue(2);
	}

	@Test
	void preparesOnOneThreadHoweverOftenThatFails() {
		this.unprepared.set(3);
		this.pauses.end(3);

		this.source.start();

		await().until(() -> this.source.connected() == READERS);
		assertThat(errors()).hasSize(3);
		assertThat(this.preparations).hasValue(4);
	}

	@Test
	void endsAllReadersAfterABugOfOne() throws InterruptedException {
		this.source.start();
		await().until(() -> this.source.connected() == READERS);

		this.bugs.set(1);

		this.ended.await();
		assertThat(this.source.isAlive()).isFalse();
		assertThat(this.source.isRunning()).isTrue();
		assertThat(errors()).containsExactly("Consuming orders has ended. Health stays down until a restart");
	}

	@Test
	void refusesOnceForAllReaders() throws InterruptedException {
		this.refuses = true;

		this.source.start();

		this.ended.await();
		assertThat(this.source.isAlive()).isFalse();
		assertThat(this.preparations).hasValue(1);
		assertThat(errors()).containsExactly("Consuming orders has ended. Health stays down until a restart");
	}

	@Test
	void stopsWhileKafkaIsAway() {
		this.unprepared.set(Integer.MAX_VALUE);
		this.source.start();
		await().until(() -> this.pauses.begun.get() == 1);

		this.source.stop();

		assertThat(this.ended.getCount()).isZero();
		assertThat(errors()).doesNotContain("Consuming orders has ended. Health stays down until a restart");
	}

	@Test
	void anInterruptWhileItIsPreparedIsTheEnd() throws InterruptedException {
		this.interrupted = true;

		this.source.start();

		this.ended.await();
		assertThat(errors()).isEmpty();
		assertThat(this.pauses.begun).hasValue(0);
	}

	@Test
	void isNotAliveBeforeItStarts() {
		assertThat(this.source.isAlive()).isFalse();
		assertThat(this.source.isRunning()).isFalse();
		assertThat(this.source.isConnected()).isFalse();

		this.source.start();

		assertThat(this.source.isAlive()).isTrue();
		assertThat(this.source.isRunning()).isTrue();
	}

	/** A reader without a consumer waits for Kafka, however long it takes. */
	@Test
	void knowsForHowLongAReaderWithAConsumerDidNothing() {
		this.unread.set(1);
		this.source.start();
		await().until(() -> this.source.connected() == READERS - 1);
		assertThat(this.source.sinceLastPoll()).isZero();

		this.pauses.nanos.addAndGet(Duration.ofMinutes(5).toNanos());

		assertThat(this.source.sinceLastPoll()).isEqualTo(Duration.ofMinutes(5));
	}

	@Test
	void interruptsNoReaderThatHasAConsumer() {
		this.source.start();
		await().until(() -> this.source.connected() == READERS);

		this.source.stop();

		assertThat(this.ended.getCount()).isZero();
		assertThat(errors()).doesNotContain("Consuming orders has ended. Health stays down until a restart");
		assertThat(this.source.isConnected()).isFalse();
	}

	@Test
	void hasNoConsumerBetweenAFailureAndTheNextStart() {
		this.failures.set(READERS);

		this.source.start();

		await().until(() -> this.pauses.begun.get() == READERS);
		assertThat(this.source.isConnected()).isFalse();
		assertThat(this.source.isAlive()).isTrue();
		this.pauses.end(READERS);
		await().until(() -> this.source.connected() == READERS);
	}

	@Test
	void waitsForReadersThatAreNotDoneYet() throws InterruptedException {
		this.stuck = true;
		this.source.start();
		await().until(() -> this.source.connected() == READERS);
		Thread stopping = Thread.ofPlatform().start(this.source::stop);
		await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);

		this.stuck = false;
		stopping.join();

		assertThat(this.ended.getCount()).isZero();
		assertThat(messages(Level.WARN)).isEmpty();
	}

	@Test
	void tellsOfEachReaderThatDoesNotStopInTime() {
		this.stuck = true;
		this.source.start();
		await().until(() -> this.source.connected() == READERS);
		this.atEnd = () -> this.pauses.nanos.addAndGet(Duration.ofHours(1).toNanos());

		this.source.stop();

		assertThat(messages(Level.WARN)).hasSize(READERS).containsOnly("A consumer of orders did not stop in time");
		assertThat(this.source.isRunning()).isFalse();
	}

	@Test
	void anInterruptEndsTheWaitForItsStopAndStays() throws InterruptedException {
		this.stuck = true;
		this.source.start();
		await().until(() -> this.source.connected() == READERS);

		Thread.currentThread().interrupt();
		this.source.stop();

		assertThat(Thread.interrupted()).isTrue();
		assertThat(messages(Level.WARN)).isEmpty();
		this.stuck = false;
		this.ended.await();
	}

	private List<String> errors() {
		return messages(Level.ERROR);
	}

	private List<String> messages(Level level) {
		return List.copyOf(this.log.list)
			.stream()
			.filter((event) -> event.getLevel() == level)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private Thread thread(Runnable task) {
		return Thread.ofVirtual().unstarted(() -> {
			try {
				task.run();
			}
			finally {
				this.ended.countDown();
			}
		});
	}

	private final class TestSource extends DeliverySource {

		TestSource() {
			super(new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate("delivery",
					DeliveryProperties.class), DeliverySourceTests.this.pauses, DeliverySourceTests.this::thread,
					READERS);
		}

		@Override
		void prepare() {
			DeliverySourceTests.this.preparations.incrementAndGet();
			if (DeliverySourceTests.this.refuses) {
				throw new IllegalStateException("refused");
			}
			if (DeliverySourceTests.this.interrupted) {
				throw new InterruptException("stopped");
			}
			if (DeliverySourceTests.this.unprepared.getAndDecrement() > 0) {
				throw new KafkaException("not prepared");
			}
		}

		@Override
		Reader reader() {
			return new TestReader();
		}

		@Override
		Map<String, Object> details() {
			return Map.of();
		}

		private final class TestReader extends Reader {

			private final CompletableFuture<Void> polled = new CompletableFuture<>();

			@Override
			void read() {
				if (DeliverySourceTests.this.unread.getAndDecrement() > 0) {
					awaitAllReaders();
					throw new KafkaException("not read");
				}
				connected();
				if (DeliverySourceTests.this.failures.getAndDecrement() > 0) {
					throw new KafkaException("not read");
				}
				while (isWanted() || DeliverySourceTests.this.stuck) {
					if (DeliverySourceTests.this.bugs.getAndDecrement() > 0) {
						throw new IllegalStateException("a bug");
					}
					try {
						// A poll.
						Time.SYSTEM.await(DeliverySourceTests.this.stuck ? new CompletableFuture<>() : this.polled,
								Duration.ofMillis(10));
					}
					catch (InterruptedException ex) {
						throw new IllegalStateException("interrupted", ex);
					}
				}
			}

			private void awaitAllReaders() {
				DeliverySourceTests.this.reading.countDown();
				try {
					DeliverySourceTests.this.reading.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException("interrupted", ex);
				}
			}

			@Override
			void endPoll() {
				DeliverySourceTests.this.atEnd.run();
				this.polled.complete(null);
			}

		}

	}

	/** Pauses that last until a test ends them. */
	private static final class Pauses extends SetTime {

		private final AtomicInteger begun = new AtomicInteger();

		private final Semaphore ends = new Semaphore(0);

		private final AtomicLong nanos;

		Pauses() {
			this(new AtomicLong(Duration.ofHours(1).toNanos()));
		}

		private Pauses(AtomicLong nanos) {
			super(nanos);
			this.nanos = nanos;
		}

		void end(int pauses) {
			this.ends.release(pauses);
		}

		@Override
		public void sleep(Duration duration) throws InterruptedException {
			this.begun.incrementAndGet();
			this.ends.acquire();
		}

	}

}
