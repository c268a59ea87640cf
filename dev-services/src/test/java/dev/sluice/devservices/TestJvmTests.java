package dev.sluice.devservices;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TestJvmTests {

	@Test
	void addsTheTimesOfAProcessAndOfItsEndedChildren() {
		String stat = "4711 (a (strange) name) S 1 4711 4711 0 -1 4194304 90 80 0 0 1100 200 30 4 20 0 1 0 77";

		assertThat(TestJvm.cpuSeconds(stat)).isEqualTo(13.34);
	}

}
