package dev.sluice.backend;

import java.util.random.RandomGenerator;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;

/**
 * Draws faults and delays at random. The same seed and the same order of requests give
 * the same draws. Not thread-safe.
 */
final class Sampler {

	/** Maximum delay in milliseconds, for any distribution. */
	static final long MAX_DELAY_MILLIS = 600_000;

	/** The 99th percentile of the standard normal distribution. */
	private static final double Z99 = 2.3263478740408408;

	private final RandomGenerator random;

	Sampler(RandomGenerator random) {
		this.random = random;
	}

	/** One draw decides, so each rate is a share of all requests. */
	Fault fault(BackendBehaviour behaviour) {
		if (behaviour.resetRate() == 0 && behaviour.hangRate() == 0 && behaviour.errorRate() == 0) {
			return Fault.NONE;
		}
		double draw = this.random.nextDouble();
		if (draw < behaviour.resetRate()) {
			return Fault.RESET;
		}
		if (draw < behaviour.resetRate() + behaviour.hangRate()) {
			return Fault.HANG;
		}
		if (draw < behaviour.resetRate() + behaviour.hangRate() + behaviour.errorRate()) {
			return Fault.ERROR;
		}
		return Fault.NONE;
	}

	double delayMillis(Delay delay) {
		return switch (delay) {
			case Delay.Fixed(long millis) -> millis;
			case Delay.Uniform(long min, long max) -> (min == max) ? min : this.random.nextDouble(min, max);
			case Delay.LogNormal(double median, double p99) -> {
				double sigma = Math.log(p99 / median) / Z99;
				yield Math.min(median * Math.exp(sigma * this.random.nextGaussian()), MAX_DELAY_MILLIS);
			}
		};
	}

	enum Fault {

		NONE, ERROR, HANG, RESET

	}

}
