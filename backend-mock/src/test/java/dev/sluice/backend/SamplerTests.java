package dev.sluice.backend;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;

import dev.sluice.backend.Sampler.Fault;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

class SamplerTests {

	private static final int MANY = 100_000;

	private final Sampler sampler = new Sampler(new SplittableRandom(42));

	@Test
	void uniformDelayIsSpreadEvenly() {
		double[] delays = delays(new Delay.Uniform(10, 30));

		assertThat(delays[0]).isBetween(10.0, 10.1);
		assertThat(delays[MANY / 2]).isCloseTo(20, withinPercentage(1));
		assertThat(delays[MANY - 1]).isBetween(29.9, 30.0);
		assertThat(delays(new Delay.Uniform(10, 10))).containsOnly(10);
	}

	@Test
	void logNormalDelayHasItsMedianAndItsPercentile() {
		double[] delays = delays(new Delay.LogNormal(40, 400));

		assertThat(delays[MANY / 2]).isCloseTo(40, withinPercentage(2));
		assertThat(delays[MANY / 100 * 99]).isCloseTo(400, withinPercentage(5));
		assertThat(delays(new Delay.LogNormal(40, 40))).containsOnly(40);
	}

	@Test
	void logNormalDelayIsBounded() {
		assertThat(delays(new Delay.LogNormal(1, Sampler.MAX_DELAY_MILLIS))[MANY - 1])
			.isEqualTo(Sampler.MAX_DELAY_MILLIS);
	}

	@Test
	void faultsComeInTheirShares() {
		BackendBehaviour behaviour = new BackendBehaviour(new Delay.Fixed(0), 0.5, 500, 0.2, 0.1, 0,
				new Capacity.Unlimited());
		Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

		for (int i = 0; i < MANY; i++) {
			counts.merge(this.sampler.fault(behaviour), 1, Integer::sum);
		}

		assertThat(counts.get(Fault.ERROR)).isCloseTo(MANY / 2, withinPercentage(3));
		assertThat(counts.get(Fault.HANG)).isCloseTo(MANY / 5, withinPercentage(3));
		assertThat(counts.get(Fault.RESET)).isCloseTo(MANY / 10, withinPercentage(3));
		assertThat(counts.get(Fault.NONE)).isCloseTo(MANY / 5, withinPercentage(3));
	}

	private double[] delays(Delay delay) {
		double[] delays = DoubleStream.generate(() -> this.sampler.delayMillis(delay)).limit(MANY).toArray();
		Arrays.sort(delays);
		return delays;
	}

}
