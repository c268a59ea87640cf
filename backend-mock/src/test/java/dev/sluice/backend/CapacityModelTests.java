package dev.sluice.backend;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.BackendBehaviour.Capacity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.test.scheduler.VirtualTimeScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CapacityModelTests {

	private final VirtualTimeScheduler loop = VirtualTimeScheduler.create();

	private final StringBuilder begun = new StringBuilder();

	/**
	 * Steps: {@code a} enters, {@code a!} is refused; {@code =ab} have begun so far; work
	 * leaves; time passes; {@code idle}: no clock runs.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			# Work begins in order as places become free, and is refused beyond the queue.
			workers 2 2         | a b c d x! =ab leave =abc in-service=2 e x! =abc
			# The pool grows while work waits, to no more than its limit.
			starved 1 2 4 100   | a b c d e f =a 499ms =a 1ms =ab 500ms =abc 60000ms =abcd idle
			# Not while nothing waits,
			starved 2 1 100 100 | a b 60000ms ticks=0 places=2
			# nor at a tick on which nothing waits any more.
			starved 1 1 100 100 | a b 900ms leave 10000ms places=1
			# It keeps the places it has grown.
			starved 1 1 100 100 | a b 1000ms leave leave 9999ms places=2 in-service=0
			# The burst, and then so many a second; no more than the burst after a pause.
			rate 4 3            | a b c x! 249ms x! 1ms d x! 500ms e f x! 9999ms g h i x!
			""")
	void worksAsItsModelSays(String model, String steps) {
		CapacityModel capacity = capacity(model.split(" "));
		for (String step : steps.split(" ")) {
			String[] figure = step.split("=");
			String at = "%s: %s at %s".formatted(model, steps, step);
			if (step.equals("leave")) {
				capacity.leave();
			}
			else if (step.equals("idle")) {
				long ticks = this.loop.getScheduledTaskCount();
				this.loop.advanceTimeBy(Duration.ofHours(1));
				assertThat(this.loop.getScheduledTaskCount()).as(at).isEqualTo(ticks);
			}
			else if (step.startsWith("=")) {
				assertThat(this.begun).as(at).hasToString(figure[1]);
			}
			else if (figure.length == 2) {
				assertThat(figure(capacity, figure[0])).as(at).isEqualTo(Long.parseLong(figure[1]));
			}
			else if (step.endsWith("ms")) {
				this.loop.advanceTimeBy(Duration.ofMillis(Long.parseLong(step.replace("ms", ""))));
			}
			else {
				assertThat(capacity.refusal() == null).as(at).isEqualTo(!step.endsWith("!"));
				if (!step.endsWith("!")) {
					capacity.enter(() -> this.begun.append(step));
				}
			}
		}
	}

	private long figure(CapacityModel capacity, String name) {
		return switch (name) {
			case "places" -> capacity.places();
			case "in-service" -> capacity.inService();
			default -> this.loop.getScheduledTaskCount();
		};
	}

	@Test
	void unlimitedBeginsEverythingAtOnce() {
		CapacityModel capacity = capacity(new Capacity.Unlimited());

		for (int i = 0; i < 10_000; i++) {
			assertThat(capacity.refusal()).isNull();
			capacity.enter(() -> this.begun.append("w"));
		}

		assertThat(capacity.inService()).isEqualTo(10_000);
		assertThat(this.begun).hasSize(10_000);
	}

	@Test
	void aLongQueueOfWorkThatEndsAtOnceIsWorkedOffInOneStack() {
		CapacityModel capacity = capacity(new Capacity.Workers(1, 1_000_000));
		capacity.enter(() -> this.begun.append("w"));
		int[] ended = { 0 };

		for (int i = 0; i < 200_000; i++) {
			capacity.enter(() -> {
				ended[0]++;
				capacity.leave();
			});
		}
		capacity.leave();

		assertThat(ended[0]).isEqualTo(200_000);
		assertThat(capacity.inService()).isZero();
	}

	@Test
	void starvedGrowsAtItsRateWhateverTheRateIs() {
		for (double rate : new double[] { 0.3, 1.7, 3, 7, 100, 999 }) {
			CapacityModel capacity = capacity(new Capacity.Starved(1, rate, 100_000, 1_000_000));
			for (int i = 0; i < 400_000; i++) {
				capacity.enter(() -> {
				});
			}

			this.loop.advanceTimeBy(Duration.ofSeconds(2));

			assertThat(capacity.places()).as("at %s/s", rate).isCloseTo(1 + (int) (2 * rate), within(1));
		}
	}

	@Test
	void rateSaysInWholeSecondsWhenThereIsATokenAgain() {
		CapacityModel capacity = capacity(new Capacity.Rate(0.1, 1));
		assertThat(capacity.refusal()).isNull();

		assertThat(capacity.refusal().retryAfterSeconds()).isEqualTo(10);
		this.loop.advanceTimeBy(Duration.ofMillis(1_500));
		assertThat(capacity.refusal().retryAfterSeconds()).isEqualTo(9);
		this.loop.advanceTimeBy(Duration.ofMillis(8_500));
		assertThat(capacity.refusal()).isNull();
	}

	private CapacityModel capacity(String... model) {
		int[] figures = Arrays.stream(model).skip(1).mapToInt(Integer::parseInt).toArray();
		return capacity(switch (model[0]) {
			case "workers" -> new Capacity.Workers(figures[0], figures[1]);
			case "starved" -> new Capacity.Starved(figures[0], figures[1], figures[2], figures[3]);
			default -> new Capacity.Rate(figures[0], figures[1]);
		});
	}

	private CapacityModel capacity(Capacity capacity) {
		return CapacityModel.of(capacity, this.loop, () -> this.loop.now(TimeUnit.MICROSECONDS));
	}

}
