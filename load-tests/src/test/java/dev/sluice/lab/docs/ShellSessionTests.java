package dev.sluice.lab.docs;

import java.time.Duration;
import java.util.List;

import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShellSessionTests {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	@Test
	void keepsVariablesAndTellsExitCodes() throws Exception {
		try (ShellSession shell = new ShellSession()) {
			assertThat(shell.run("GREETING='hello'", DEADLINE).exitCode()).isZero();
			assertThat(shell.run("echo $GREETING", DEADLINE).output()).startsWith("hello");
			assertThat(shell.run("false", DEADLINE).exitCode()).isOne();
		}
	}

	@Test
	void endsWhatTakesTooLong() throws Exception {
		try (ShellSession shell = new ShellSession()) {
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> shell.run("sleep 600", Duration.ofMillis(50)))
				.withMessageContaining("not done within PT0.05S: sleep 600");
		}
	}

	@Test
	void aCommandEndsWhereTheShellRunsIt() throws Exception {
		assertThat(ShellSession.commands(List.of("# One: 201.", "echo 'a", "b'", "", "X=$(echo a |", "  cat)",
				"echo \\", "  c", "# alone", "", "echo d")))
			.containsExactly(List.of("# One: 201.", "echo 'a", "b'"), List.of("X=$(echo a |", "  cat)"),
					List.of("echo \\", "  c"), List.of("echo d"));
	}

}
