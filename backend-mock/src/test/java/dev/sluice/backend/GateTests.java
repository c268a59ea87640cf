package dev.sluice.backend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.BackendBehaviour.Capacity;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class GateTests {

	private final VirtualLoop loop = new VirtualLoop();

	private final List<String> begun = new ArrayList<>();

	private final List<Double> stretches = new ArrayList<>();

	@Test
	void unlimitedBeginsEverythingAtOnce() {
		Gate gate = Gate.of(new Capacity.Unlimited(), this.loop);

		for (int i = 0; i < 10_000; i++) {
			assertThat(enter(gate, "w")).isTrue();
		}

		assertThat(gate.inService()).isEqualTo(10_000);
		assertThat(gate.waiting()).isZero();
		assertThat(this.stretches).containsOnly(1.0);
	}

	@Test
	void workersBeginInOrderAsPlacesBecomeFree() {
		Gate gate = Gate.of(new Capacity.Workers(2, 2), this.loop);

		enter(gate, "a");
		enter(gate, "b");
		enter(gate, "c");
		enter(gate, "d");

		assertThat(this.begun).containsExactly("a", "b");
		assertThat(gate.waiting()).isEqualTo(2);

		gate.leave();

		assertThat(this.begun).containsExactly("a", "b", "c");
		assertThat(gate.inService()).isEqualTo(2);
		assertThat(gate.waiting()).isEqualTo(1);
	}

	@Test
	void workersRefuseBeyondTheQueue() {
		Gate gate = Gate.of(new Capacity.Workers(1, 1), this.loop);

		assertThat(enter(gate, "a")).isTrue();
		assertThat(enter(gate, "b")).isTrue();
		assertThat(enter(gate, "c")).isFalse();

		gate.leave();
		gate.leave();

		assertThat(this.begun).containsExactly("a", "b");
		assertThat(enter(gate, "d")).isTrue();
	}

	@Test
	void workersWithoutQueueRefuseWhenAllAreBusy() {
		Gate gate = Gate.of(new Capacity.Workers(1, 0), this.loop);

		assertThat(enter(gate, "a")).isTrue();
		assertThat(enter(gate, "b")).isFalse();
	}

	@Test
	void aLongQueueOfWorkThatEndsAtOnceIsWorkedOffInOneStack() {
		Gate gate = Gate.of(new Capacity.Workers(1, 1_000_000), this.loop);
		enter(gate, "blocker");
		int[] ended = { 0 };

		for (int i = 0; i < 200_000; i++) {
			gate.enter((_) -> {
				ended[0]++;
				gate.leave();
			});
		}
		gate.leave();

		assertThat(ended[0]).isEqualTo(200_000);
		assertThat(gate.inService()).isZero();
	}

	@Test
	void starvedGrowsWhileWorkWaits() {
		Gate gate = Gate.of(new Capacity.Starved(1, 2, 4, 100), this.loop);
		for (int i = 0; i < 10; i++) {
			enter(gate, "w" + i);
		}
		assertThat(this.begun).hasSize(1);

		this.loop.advance(Duration.ofMillis(499));
		assertThat(this.begun).hasSize(1);

		this.loop.advance(Duration.ofMillis(1));
		assertThat(this.begun).hasSize(2);

		this.loop.advance(Duration.ofMillis(500));
		assertThat(this.begun).hasSize(3);

		this.loop.advance(Duration.ofSeconds(60));
		assertThat(this.begun).as("no more than maxWorkers").hasSize(4);
		assertThat(this.loop.isIdle()).as("no clock runs when it cannot grow").isTrue();
	}

	@Test
	void starvedDoesNotGrowWhileNothingWaits() {
		Gate gate = Gate.of(new Capacity.Starved(2, 1, 100, 100), this.loop);
		enter(gate, "a");
		enter(gate, "b");

		this.loop.advance(Duration.ofHours(1));

		assertThat(gate.places()).isEqualTo(2);
		assertThat(this.loop.isIdle()).isTrue();
	}

	@Test
	void starvedDoesNotGrowAtATickOnWhichNothingWaitsAnyMore() {
		Gate gate = Gate.of(new Capacity.Starved(1, 1, 100, 100), this.loop);
		enter(gate, "a");
		enter(gate, "b");

		this.loop.advance(Duration.ofMillis(900));
		gate.leave();
		this.loop.advance(Duration.ofSeconds(10));

		assertThat(gate.places()).isEqualTo(1);
	}

	@Test
	void starvedKeepsThePlacesItHasGrown() {
		Gate gate = Gate.of(new Capacity.Starved(1, 1, 100, 100), this.loop);
		enter(gate, "a");
		enter(gate, "b");
		this.loop.advance(Duration.ofSeconds(1));

		gate.leave();
		gate.leave();
		this.loop.advance(Duration.ofHours(1));

		assertThat(gate.places()).isEqualTo(2);
		assertThat(gate.inService()).isZero();
	}

	@Test
	void starvedGrowsAtItsRateWhateverTheRateIs() {
		for (double rate : new double[] { 0.3, 1.7, 3, 7, 100, 999, 33_333 }) {
			Gate gate = Gate.of(new Capacity.Starved(1, rate, 100_000, 1_000_000), this.loop);
			for (int i = 0; i < 400_000; i++) {
				gate.enter((_) -> {
				});
			}

			this.loop.advance(Duration.ofSeconds(2));

			assertThat(gate.places()).as("at %s/s", rate).isCloseTo(1 + (int) (2 * rate), within(1));
		}
	}

	@Test
	void starvedRefusesBeyondTheQueue() {
		Gate gate = Gate.of(new Capacity.Starved(1, 1, 10, 2), this.loop);

		assertThat(enter(gate, "a")).isTrue();
		assertThat(enter(gate, "b")).isTrue();
		assertThat(enter(gate, "c")).isTrue();
		assertThat(enter(gate, "d")).isFalse();
	}

	@Test
	void starvedServesABurstInTheTimeThatItsGrowthAllows() {
		// Workers that take 1 s each, 1 at first and 1 more each second: 1 + 2 + 3 + 4
		// are
		// done after 4 s.
		Gate gate = Gate.of(new Capacity.Starved(1, 1, 100, 100), this.loop);
		int[] done = { 0 };
		for (int i = 0; i < 10; i++) {
			gate.enter((_) -> this.loop.schedule(() -> {
				done[0]++;
				gate.leave();
			}, TimeUnit.SECONDS.toNanos(1)));
		}

		this.loop.advance(Duration.ofMillis(3_999));
		assertThat(done[0]).isEqualTo(6);

		this.loop.advance(Duration.ofMillis(1));
		assertThat(done[0]).isEqualTo(10);
	}

	@Test
	void contendedStretchesByTheUniversalScalabilityLaw() {
		Gate gate = Gate.of(new Capacity.Contended(0.1, 0.01), this.loop);

		enter(gate, "a");
		enter(gate, "b");
		enter(gate, "c");
		gate.leave();
		enter(gate, "d");

		assertThat(this.stretches).satisfiesExactly((one) -> assertThat(one).isEqualTo(1),
				(two) -> assertThat(two).isCloseTo(1.12, within(1e-9)),
				(three) -> assertThat(three).isCloseTo(1.26, within(1e-9)),
				(three) -> assertThat(three).isCloseTo(1.26, within(1e-9)));
	}

	@Test
	void rateAdmitsTheBurstAndThenSoManyASecond() {
		Gate gate = Gate.of(new Capacity.Rate(4, 3), this.loop);
		assertThat(admitted(gate)).isEqualTo(3);
		assertThat(gate.refusal()).isEqualTo(new Answer.Throttled(1));

		this.loop.advance(Duration.ofMillis(249));
		assertThat(admitted(gate)).isZero();
		this.loop.advance(Duration.ofMillis(1));
		assertThat(admitted(gate)).isEqualTo(1);
		this.loop.advance(Duration.ofMillis(500));
		assertThat(admitted(gate)).isEqualTo(2);
		this.loop.advance(Duration.ofHours(1));
		assertThat(admitted(gate)).as("no more than the burst").isEqualTo(3);
	}

	@Test
	void rateSaysInWholeSecondsWhenThereIsATokenAgain() {
		Gate gate = Gate.of(new Capacity.Rate(0.1, 1), this.loop);
		enter(gate, "a");

		assertThat(gate.refusal()).isEqualTo(new Answer.Throttled(10));
		this.loop.advance(Duration.ofMillis(1_500));
		assertThat(gate.refusal()).isEqualTo(new Answer.Throttled(9));
		this.loop.advance(Duration.ofMillis(8_500));
		assertThat(gate.isFull()).isFalse();
	}

	private int admitted(Gate gate) {
		int admitted = 0;
		while (enter(gate, "w")) {
			admitted++;
		}
		return admitted;
	}

	private boolean enter(Gate gate, String name) {
		if (gate.isFull()) {
			return false;
		}
		gate.enter((stretch) -> {
			this.begun.add(name);
			this.stretches.add(stretch);
		});
		return true;
	}

}
