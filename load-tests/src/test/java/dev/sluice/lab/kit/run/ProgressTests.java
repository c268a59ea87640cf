package dev.sluice.lab.kit.run;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;

import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ProgressTests {

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private Instant now = START;

	private final InstantSource clock = () -> this.now;

	@Test
	void saysHowFarAndHowLongStill() {
		Progress progress = progress();

		progress.of(0, 20, "first");
		this.now = START.plusSeconds(50);
		progress.of(5, 20, "sixth");

		assertThat(written()).contains("00:00  first", "00:50  sixth, about 3 min left");
	}

	@Test
	void aLongStepTellsEveryFifteenSeconds() {
		Progress progress = progress();

		progress.step("warm-up");
		for (int second = 0; second < 60; second += 5) {
			progress.during("window at %s".formatted(second));
			this.now = this.now.plusSeconds(5);
		}

		assertThat(written().lines()).containsExactly("00:00  warm-up", "00:15  window at 15", "00:30  window at 30",
				"00:45  window at 45");
	}

	@Test
	void aBusyMachineIsRefusedWhileItIsFreeToSaySo() {
		assertThatExceptionOfType(LabException.class)
			.isThrownBy(() -> EnvironmentProbe.checkIdle(0.43, progress(), false))
			.withMessageContainingAll("43 %", "more than 10 %", "--force");
	}

	@Test
	void whoInsistsIsOnlyTold() {
		EnvironmentProbe.checkIdle(0.43, progress(), true);

		assertThat(written()).contains("other processes use 43 %");
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0, 0.1, -1 })
	void aQuietMachineAndOneThatDoesNotSayAreMeasured(double foreignCpuShare) {
		EnvironmentProbe.checkIdle(foreignCpuShare, progress(), false);

		assertThat(written()).isEmpty();
	}

	private Progress progress() {
		return new Progress(new PrintStream(this.out, true, StandardCharsets.UTF_8), this.clock);
	}

	private String written() {
		return this.out.toString(StandardCharsets.UTF_8);
	}

}
