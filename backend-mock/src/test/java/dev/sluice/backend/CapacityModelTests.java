package dev.sluice.backend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.BackendBehaviour.Capacity;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CapacityModelTests {

	private final VirtualTimeScheduler loop = VirtualTimeScheduler.create();

	private final List<String> begun = new ArrayList<>();

	@Test
	void unlimitedBeginsEverythingAtOnce() {
		CapacityModel capacity = capacity(new Capacity.Unlimited());

		for (int i = 0; i < 10_000; i++) {
			assertThat(enter(capacity, "w")).isTrue();
		}

		assertThat(capacity.inService()).isEqualTo(10_000);
	}

	@Test
	void workersBeginInOrderAsPlacesBecomeFreeAndRefuseBeyondTheQueue() {
		CapacityModel capacity = capacity(new Capacity.Workers(2, 2));

		enter(capacity, "a");
		enter(capacity, "b");
		enter(capacity, "c");
		assertThat(enter(capacity, "d")).isTrue();
		assertThat(enter(capacity, "refused")).isFalse();

		assertThat(this.begun).containsExactly("a", "b");

		capacity.leave();

		assertThat(this.begun).containsExactly("a", "b", "c");
		assertThat(capacity.inService()).isEqualTo(2);
		assertThat(enter(capacity, "e")).isTrue();
		assertThat(enter(capacity, "refused")).isFalse();
	}

	@Test
	void aLongQueueOfWorkThatEndsAtOnceIsWorkedOffInOneStack() {
		CapacityModel capacity = capacity(new Capacity.Workers(1, 1_000_000));
		enter(capacity, "blocker");
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
	void starvedGrowsWhileWorkWaits() {
		CapacityModel capacity = capacity(new Capacity.Starved(1, 2, 4, 100));
		for (int i = 0; i < 10; i++) {
			enter(capacity, "w" + i);
		}
		assertThat(this.begun).hasSize(1);

		this.loop.advanceTimeBy(Duration.ofMillis(499));
		assertThat(this.begun).hasSize(1);

		this.loop.advanceTimeBy(Duration.ofMillis(1));
		assertThat(this.begun).hasSize(2);

		this.loop.advanceTimeBy(Duration.ofMillis(500));
		assertThat(this.begun).hasSize(3);

		this.loop.advanceTimeBy(Duration.ofSeconds(60));
		assertThat(this.begun).as("no more than maxWorkers").hasSize(4);
		long ticks = this.loop.getScheduledTaskCount();
		this.loop.advanceTimeBy(Duration.ofSeconds(60));
		assertThat(this.loop.getScheduledTaskCount()).as("no clock runs when it cannot grow").isEqualTo(ticks);
	}

	@Test
	void starvedDoesNotGrowWhileNothingWaits() {
		CapacityModel capacity = capacity(new Capacity.Starved(2, 1, 100, 100));
		enter(capacity, "a");
		enter(capacity, "b");

		this.loop.advanceTimeBy(Duration.ofHours(1));

		assertThat(capacity.places()).isEqualTo(2);
		assertThat(this.loop.getScheduledTaskCount()).isZero();
	}

	@Test
	void starvedDoesNotGrowAtATickOnWhichNothingWaitsAnyMore() {
		CapacityModel capacity = capacity(new Capacity.Starved(1, 1, 100, 100));
		enter(capacity, "a");
		enter(capacity, "b");

		this.loop.advanceTimeBy(Duration.ofMillis(900));
		capacity.leave();
		this.loop.advanceTimeBy(Duration.ofSeconds(10));

		assertThat(capacity.places()).isEqualTo(1);
	}

	@Test
	void starvedKeepsThePlacesItHasGrown() {
		CapacityModel capacity = capacity(new Capacity.Starved(1, 1, 100, 100));
		enter(capacity, "a");
		enter(capacity, "b");
		this.loop.advanceTimeBy(Duration.ofSeconds(1));

		capacity.leave();
		capacity.leave();
		this.loop.advanceTimeBy(Duration.ofHours(1));

		assertThat(capacity.places()).isEqualTo(2);
		assertThat(capacity.inService()).isZero();
	}

	@Test
	void starvedGrowsAtItsRateWhateverTheRateIs() {
		for (double rate : new double[] { 0.3, 1.7, 3, 7, 100, 999, 33_333 }) {
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
	void rateAdmitsTheBurstAndThenSoManyASecond() {
		CapacityModel capacity = capacity(new Capacity.Rate(4, 3));
		assertThat(admitted(capacity)).isEqualTo(3);
		assertThat(capacity.refusal().retryAfterSeconds()).isEqualTo(1);

		this.loop.advanceTimeBy(Duration.ofMillis(249));
		assertThat(admitted(capacity)).isZero();
		this.loop.advanceTimeBy(Duration.ofMillis(1));
		assertThat(admitted(capacity)).isEqualTo(1);
		this.loop.advanceTimeBy(Duration.ofMillis(500));
		assertThat(admitted(capacity)).isEqualTo(2);
		this.loop.advanceTimeBy(Duration.ofHours(1));
		assertThat(admitted(capacity)).as("no more than the burst").isEqualTo(3);
	}

	@Test
	void rateSaysInWholeSecondsWhenThereIsATokenAgain() {
		CapacityModel capacity = capacity(new Capacity.Rate(0.1, 1));
		enter(capacity, "a");

		assertThat(capacity.refusal().retryAfterSeconds()).isEqualTo(10);
		this.loop.advanceTimeBy(Duration.ofMillis(1_500));
		assertThat(capacity.refusal().retryAfterSeconds()).isEqualTo(9);
		this.loop.advanceTimeBy(Duration.ofMillis(8_500));
		assertThat(capacity.refusal()).isNull();
	}

	private CapacityModel capacity(Capacity capacity) {
		return CapacityModel.of(capacity, this.loop, () -> this.loop.now(TimeUnit.MICROSECONDS));
	}

	private int admitted(CapacityModel capacity) {
		int admitted = 0;
		while (enter(capacity, "w")) {
			admitted++;
		}
		return admitted;
	}

	private boolean enter(CapacityModel capacity, String name) {
		if (capacity.refusal() != null) {
			return false;
		}
		capacity.enter(() -> this.begun.add(name));
		return true;
	}

}
