package dev.sluice.lab.kit.run;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EnvironmentProbeTests {

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final Progress progress = new Progress(new PrintStream(this.out, true, StandardCharsets.UTF_8));

	@Test
	void aBusyMachineIsRefusedWhileItIsFreeToSaySo() {
		assertThatExceptionOfType(LabException.class)
			.isThrownBy(() -> EnvironmentProbe.checkIdle(0.43, this.progress, false))
			.withMessageContainingAll("43 %", "more than 10 %", "--force");
	}

	@Test
	void whoInsistsIsOnlyTold() {
		EnvironmentProbe.checkIdle(0.43, this.progress, true);

		assertThat(this.out.toString(StandardCharsets.UTF_8)).contains("other processes use 43 %");
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0, 0.1, -1 })
	void aQuietMachineAndOneThatDoesNotSayAreMeasured(double foreignCpuShare) {
		EnvironmentProbe.checkIdle(foreignCpuShare, this.progress, false);

		assertThat(this.out.size()).isZero();
	}

}
