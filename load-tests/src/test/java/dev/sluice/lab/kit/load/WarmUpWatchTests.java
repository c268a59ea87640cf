package dev.sluice.lab.kit.load;

import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.process.ProcessTime.Reading;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WarmUpWatchTests {

	private static final long SECOND = 1_000_000_000;

	private final WarmUpWatch watch = new WarmUpWatch(new Settling(5_000, 15_000, 180_000));

	private long seconds;

	private long cpuMillis;

	private long jitMillis;

	@Test
	void settlesWhenRateAndCostOfTwoWindowsAgree() {
		window(100, 4);
		window(500, 2);
		assertThat(this.watch.isSettled()).isFalse();
		window(1_000, 1);
		assertThat(this.watch.isSettled()).as("rate twice as high").isFalse();
		window(1_050, 0.8);
		assertThat(this.watch.isSettled()).as("cost a fifth lower").isFalse();
		window(1_000, 0.75);

		assertThat(this.watch.isSettled()).isTrue();
		assertThat(this.watch.windows()).hasSize(5).last().isEqualTo(new WarmUpWindow(25, 1_000, 0.75, 0.0));
	}

	@Test
	void doesNotSettleBeforeItsTime() {
		window(1_000, 1);
		window(1_000, 1);
		assertThat(this.watch.isSettled()).isFalse();
		window(1_000, 1);

		assertThat(this.watch.isSettled()).isTrue();
	}

	@Test
	void isOverWithTheFirstWindowThatEndsAfterTheLongestTime() {
		for (int i = 1; i <= 35; i++) {
			compiling(0.20);
		}
		assertThat(this.watch.isOver()).as("after 175 s").isFalse();
		compiling(0.20);

		assertThat(this.watch.isOver()).as("after 180 s").isTrue();
		assertThat(this.watch.isSettled()).isFalse();
	}

	@Test
	void lastsAMinuteLongerWhileNothingIsSaved() {
		for (int i = 1; i <= 47; i++) {
			window(0, 0);
		}
		assertThat(this.watch.isOver()).as("after 235 s").isFalse();
		window(0, 0);

		assertThat(this.watch.isOver()).as("after 240 s").isTrue();
		assertThat(this.watch.isSettled()).as("nothing saved is no agreement").isFalse();
	}

	@Test
	void lastsTenTimesLongerIfItIsShort() {
		WarmUpWatch brief = new WarmUpWatch(new Settling(1_000, 1_000, 2_000));
		brief.add(new Reading(0, 0, 0L), new Reading(21 * SECOND, 0, 0L), 0);
		assertThat(brief.isOver()).isFalse();
		brief.add(new Reading(21 * SECOND, 0, 0L), new Reading(22 * SECOND, 0, 0L), 0);

		assertThat(brief.isOver()).isTrue();
	}

	@Test
	void doesNotSettleWhileTheCompilersAreBusy() {
		compiling(0.06);
		compiling(0.06);
		compiling(0.06);
		assertThat(this.watch.isSettled()).as("a plateau of cold JVMs").isFalse();
		compiling(0.05);

		assertThat(this.watch.isSettled()).isTrue();
	}

	@Test
	void settlesByRateAndCostWhereTheSystemDoesNotTellOfCompilers() {
		for (int window = 0; window < 3; window++) {
			this.watch.add(new Reading(window * 5 * SECOND, window * 5_000, null),
					new Reading((window + 1) * 5 * SECOND, (window + 1) * 5_000, null), 5_000);
		}

		assertThat(this.watch.isSettled()).isTrue();
	}

	@Test
	void aRestCountsForItsLengthAndForNoWindow() {
		window(1_000, 1);
		this.seconds += 10;
		this.cpuMillis += 15_000;
		this.jitMillis += 15_000;
		window(1_000, 1);

		assertThat(this.watch.windows()).last().isEqualTo(new WarmUpWindow(20, 1_000, 1.0, 0.0));
		assertThat(this.watch.isSettled()).isTrue();
	}

	private void window(int perSecond, double cpuMillisPerOrder) {
		window(perSecond, cpuMillisPerOrder, 0);
	}

	private void compiling(double share) {
		window(1_000, 1, share);
	}

	private void window(int perSecond, double cpuMillisPerOrder, double jitShare) {
		Reading begin = new Reading(this.seconds * SECOND, this.cpuMillis, this.jitMillis);
		this.seconds += 5;
		long cpu = Math.round(5 * perSecond * cpuMillisPerOrder);
		this.cpuMillis += cpu;
		this.jitMillis += Math.round(cpu * jitShare);
		this.watch.add(begin, new Reading(this.seconds * SECOND, this.cpuMillis, this.jitMillis), 5L * perSecond);
	}

}
