package dev.sluice.lab.kit.jvm;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GcCheckTests {

	@Test
	void holdsWithinOnePerCentInNumber() {
		assertThat(new GcCheck(100, 100, 1_000, 1_000).holds()).isTrue();
		assertThat(new GcCheck(99, 100, 1_000, 1_000).holds()).isTrue();
		assertThat(new GcCheck(101, 100, 1_000, 1_000).holds()).isTrue();
		assertThat(new GcCheck(98, 100, 1_000, 1_000).holds()).isFalse();
		assertThat(new GcCheck(102, 100, 1_000, 1_000).holds()).isFalse();
	}

	/** And half a microsecond for each pause: 10.05 ms here. */
	@Test
	void holdsWithinOnePerCentInSumBesideTheRounding() {
		assertThat(new GcCheck(100, 100, 989.96, 1_000).holds()).isTrue();
		assertThat(new GcCheck(100, 100, 1_010.04, 1_000).holds()).isTrue();
		assertThat(new GcCheck(100, 100, 989.94, 1_000).holds()).isFalse();
		assertThat(new GcCheck(100, 100, 1_010.06, 1_000).holds()).isFalse();
	}

	@Test
	void holdsWhereNothingPaused() {
		assertThat(new GcCheck(0, 0, 0, 0).holds()).isTrue();
		assertThat(new GcCheck(1, 0, 0.1, 0).holds()).isFalse();
	}

	@Test
	void addsUpSeveralJvms() {
		assertThat(new GcCheck(1, 2, 3, 4).plus(new GcCheck(10, 20, 30, 40))).isEqualTo(new GcCheck(11, 22, 33, 44));
	}

}
