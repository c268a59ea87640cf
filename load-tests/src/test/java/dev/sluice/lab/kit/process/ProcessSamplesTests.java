package dev.sluice.lab.kit.process;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.process.ProcessSampler.Sample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ProcessSamplesTests {

	private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

	private static final int CORES = 2;

	private static final int LENGTH_MILLIS = 20_000;

	static IntStream seeds() {
		return IntStream.range(0, 200);
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void noWindowHasMoreThanItsCoresCouldGive(int seed) {
		Random random = new Random(seed);
		ProcessSamples samples = random(random);
		Window window = window(random.nextInt(1_000, 5_000), random.nextInt(6_000, 15_000));

		assertThat(samples.cpuMillis("gateway", window)).isNotNull()
			.isBetween(0.0, CORES * (double) window.length().toMillis());
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void windowsSideBySideAddUp(int seed) {
		Random random = new Random(seed);
		ProcessSamples samples = random(random);
		int start = random.nextInt(1_000, 5_000);
		int middle = random.nextInt(6_000, 9_000);
		int end = random.nextInt(10_000, 15_000);

		Double first = samples.cpuMillis("gateway", window(start, middle));
		Double second = samples.cpuMillis("gateway", window(middle, end));

		assertThat(first).isNotNull();
		assertThat(second).isNotNull();
		assertThat(samples.cpuMillis("gateway", window(start, end))).isNotNull()
			.isCloseTo(first + second, within(1e-6));
	}

	@Test
	void aShortCellDoesNotGetTheSamplesAroundIt() {
		List<Sample> sampled = new ArrayList<>();
		for (int millis = 0; millis <= 800; millis += 200) {
			sampled.add(sample(millis, 2 * millis));
			sampled.add(Sample.ofCpu(at(millis), Sample.MACHINE, 2 * millis));
			sampled.add(Sample.ofCpu(at(millis), Sample.OWN, Math.max(0, 2 * millis - 400)));
		}
		ProcessSamples samples = new ProcessSamples(sampled);

		assertThat(samples.cpuMillis("gateway", window(150, 550))).isEqualTo(800.0);
		assertThat(samples.cpuShare("gateway", window(150, 550))).isEqualTo(2.0);
		assertThat(samples.foreignCpuShare(window(100, 500), CORES)).isEqualTo(0.25);
		assertThat(samples.busyShare(window(100, 500), CORES)).isEqualTo(1.0);
	}

	@Test
	void whatWasNotSampledIsNotKnown() {
		ProcessSamples gap = new ProcessSamples(List.of(sample(0, 0), sample(200, 10), sample(1_500, 900)));

		assertThat(gap.cpuMillis("gateway", window(100, 1_000))).as("an end in a gap").isNull();
		assertThat(gap.cpuMillis("gateway", window(0, 1_500))).as("both ends sampled").isEqualTo(900.0);
		assertThat(gap.cpuMillis("gateway", window(100, 1_600))).as("the sampler died").isNull();
		assertThat(gap.cpuMillis("gateway", window(0, 399))).as("too short").isNull();
		assertThat(gap.cpuMillis("consumer", window(0, 1_500))).as("never sampled").isNull();
		assertThat(gap.foreignCpuShare(window(0, 1_500), CORES)).isNull();
		assertThat(gap.busyShare(window(0, 1_500), CORES)).isNull();
	}

	@Test
	void theCompilersTimeIsAShareOfTheProcesss() {
		List<Sample> sampled = new ArrayList<>();
		for (int millis = 0; millis <= 6_000; millis += 200) {
			sampled.add(new Sample(at(millis), "gateway", millis, 1L, 1, (millis % 1_000 == 0) ? 100L * millis : null));
		}
		ProcessSamples samples = new ProcessSamples(sampled);

		assertThat(samples.jitShare("gateway", window(1_500, 4_500))).isEqualTo(0.1);
		assertThat(samples.jitShare("gateway", window(1_500, 3_400))).as("too short").isNull();
		assertThat(samples.jitShare("consumer", window(1_500, 4_500))).as("never sampled").isNull();
	}

	/** A process that uses both cores, or one, or none, from sample to sample. */
	private static ProcessSamples random(Random random) {
		List<Sample> processes = new ArrayList<>();
		long cpuMillis = random.nextInt(10_000);
		int before = 0;
		for (int at : times(random)) {
			cpuMillis += (long) (CORES * (at - before) * ((random.nextInt(3) == 0) ? 1 : random.nextDouble()));
			before = at;
			processes.add(sample(at, cpuMillis));
		}
		return new ProcessSamples(processes);
	}

	/** The sampler is late now and then. */
	private static List<Integer> times(Random random) {
		List<Integer> times = new ArrayList<>();
		for (int at = 0; at < LENGTH_MILLIS; at += 150 + random.nextInt(300)) {
			times.add(at);
		}
		return times;
	}

	private static Sample sample(long millis, long cpuMillis) {
		return Sample.ofCpu(at(millis), "gateway", cpuMillis);
	}

	private static Window window(long from, long to) {
		return new Window(at(from), at(to));
	}

	private static Instant at(long millis) {
		return T0.plus(Duration.ofMillis(millis));
	}

}
