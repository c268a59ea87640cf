package dev.sluice.consumer.delivery;

import java.time.InstantSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.consumer.DeliveryProperties;
import dev.sluice.consumer.Time;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * {@code -Dsimulation.seed=N} repeats one life, {@code -Dsimulation.lives=N} sets the
 * number of lives.
 */
class ShareSourceTests {

	/**
	 * Delivers nothing. Not a mock: to mock a record, Mockito changes
	 * {@code java.lang.Record}, and then each new record in this JVM costs many times as
	 * much.
	 */
	private static final Delivery.Context IDLE = new Delivery.Context(null, null, null, null, null, null, null, null,
			Thread::new, Time.SYSTEM, InstantSource.system());

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

	@Tag("full")
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
					() -> 5, Mockito::mock, IDLE, mock(), mock(), Thread::new)
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

	private static ShareSimulation.Seen live(long seed) {
		try {
			return new ShareSimulation(seed).run();
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("Repeat with -Dsimulation.seed=%d: %s".formatted(seed, ex.getMessage()), ex);
		}
	}

}
