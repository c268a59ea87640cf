package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.Time;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.Mockito;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * {@code -Dsimulation.seed=N} repeats one life, {@code -Dsimulation.lives=N} tries so
 * many.
 */
@Timeout(300)
class ShareSourceTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("dev.sluice.consumer");

	private static Level levelBefore;

	@BeforeAll
	static void silence() {
		levelBefore = LOGGER.getLevel();
		LOGGER.setLevel(Level.OFF);
	}

	@AfterAll
	static void speak() {
		LOGGER.setLevel(levelBefore);
	}

	@Test
	void losesNothingAndAcceptsNothingUnfinished() {
		Long seed = Long.getLong("simulation.seed");
		if (seed != null) {
			live(seed);
			return;
		}
		int renewals = 0;
		int placedAgain = 0;
		for (long i = 0; i < Long.getLong("simulation.lives", 300); i++) {
			ShareSimulation.Seen seen = live(i);
			renewals += seen.renewals();
			placedAgain += seen.placedAgain();
		}
		assertThat(renewals).as("locks renewed").isPositive();
		assertThat(placedAgain).as("records placed again").isPositive();
	}

	@Test
	void saysThatAKillCanLoseAnOrder() throws InterruptedException {
		Logger logger = (Logger) LoggerFactory.getLogger(ShareSource.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		logger.setLevel(Level.WARN);
		try {
			new ShareSource(
					new Binder(new MapConfigurationPropertySource()).bindOrCreate("delivery", DeliveryProperties.class),
					() -> 5, Mockito::mock, mock(Delivery.Context.class), mock(), mock(), Thread::new)
				.prepare();
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(log);
		}

		assertThat(log.list).singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.asString()
			.contains("can lose an order", "after 5 deliveries", "delivery.source=partitions");
	}

	@Test
	void tellsOnceThatTheGroupIsFullAndOnceThatItIsNot() throws InterruptedException {
		Logger logger = (Logger) LoggerFactory.getLogger(ShareSource.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		logger.setLevel(Level.INFO);
		AtomicInteger refusals = new AtomicInteger(36);
		AtomicLong nanos = new AtomicLong();
		Queue<Duration> pauses = new ConcurrentLinkedQueue<>();
		Time time = mock();
		given(time.nanoTime()).willAnswer((_) -> nanos.addAndGet(1_000_000));
		willAnswer((sleep) -> pauses.add(sleep.getArgument(0))).given(time).sleep(any());
		Delivery.Context context = mock(Delivery.Context.class, Mockito.RETURNS_DEEP_STUBS);
		given(context.time()).willReturn(time);
		ShareSource source = new ShareSource(
				new Binder(new MapConfigurationPropertySource()).bindOrCreate("delivery", DeliveryProperties.class),
				() -> 5, () -> {
					ShareConsumer<byte[], byte[]> consumer = mock();
					boolean refused = refusals.getAndDecrement() > 0;
					given(consumer.poll(any())).willAnswer((_) -> {
						if (refused) {
							throw new GroupMaxSizeReachedException("The group has 200 members");
						}
						Thread.sleep(1);
						return ConsumerRecords.empty();
					});
					return consumer;
				}, context, mock(), mock(), Thread::new);
		try {
			source.start();

			await().until(() -> messages(log, Level.INFO).size() == 1);
		}
		finally {
			source.stop();
			logger.setLevel(null);
			logger.detachAppender(log);
		}
		assertThat(messages(log, Level.ERROR)).singleElement()
			.asString()
			.contains("is full", "delivery.share-consumers", "group.share.max.size", "The group has 200 members");
		assertThat(messages(log, Level.INFO)).singleElement().asString().contains("refuses no consumer");
		assertThat(pauses).hasSize(36).containsOnly(Duration.ofSeconds(30));
	}

	private static List<String> messages(ListAppender<ILoggingEvent> log, Level level) {
		return List.copyOf(log.list)
			.stream()
			.filter((event) -> event.getLevel() == level)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private static ShareSimulation.Seen live(long seed) {
		try {
			return new ShareSimulation(seed).run();
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("Repeat with -Dsimulation.seed=%d: %s".formatted(seed, ex.getMessage()), ex);
		}
	}

}
