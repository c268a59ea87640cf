package dev.sluice.consumer.delivery;

import java.util.Map;

import dev.sluice.consumer.Quiet;
import dev.sluice.consumer.offsets.LostRecords;
import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicWatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

/**
 * A hundred lives of a consumer, with {@code -Pfull} three hundred, each with thousands
 * of interleavings. A life that fails names its seed; {@code -Dsimulation.seed=N} repeats
 * that one alone, and {@code -Dsimulation.lives=N} sets the number of lives.
 */
@ExtendWith(Quiet.class)
class DeliverySimulationTests {

	private static final boolean FULL = Boolean.getBoolean("sluice.full");

	private static final long LIVES = Long.getLong("simulation.lives", FULL ? 300 : 100);

	private static final TopicWatch TOPICS = DeliveryLoopTests
		.topics(() -> Map.of(Topics.ORDERS, DeliverySimulation.TOPIC_ID));

	private static final LostRecords LOST = lostRecords();

	@Test
	void keepsItsPromisesWhateverHappensWhen() {
		Long seed = Long.getLong("simulation.seed");
		if (seed != null) {
			live(seed);
			return;
		}
		for (long i = 0; i < LIVES; i++) {
			live(i);
		}
	}

	@Test
	void sameSeedRepeatsTheSameLife() {
		for (long seed = 0; seed < Math.min(LIVES, FULL ? 20 : 3); seed++) {
			assertThat(live(seed)).isEqualTo(live(seed));
		}
	}

	private static int live(long seed) {
		try {
			return new DeliverySimulation(seed, TOPICS, LOST).run();
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("Repeat with -Dsimulation.seed=%s: %s".formatted(seed, ex.getMessage()), ex);
		}
	}

	private static LostRecords lostRecords() {
		LostRecords lost = mock(LostRecords.class, withSettings().stubOnly());
		doThrow(new AssertionError("records are said to be lost")).when(lost)
			.lost(any(), any(), anyLong(), anyLong(), anyLong());
		return lost;
	}

}
