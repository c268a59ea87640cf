package dev.sluice.lab;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class LabTests {

	/** Nobody listens on port 1. */
	private static final String NOBODY = "http://127.0.0.1:1";

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	@Test
	void helpEndsWith0() {
		assertThat(lab("--help")).isZero();
		assertThat(this.out.toString()).contains("up ", "order ", "doctor ");
	}

	@Test
	void everyCommandHasHelp() {
		for (String command : Lab.commandLine().getSubcommands().keySet()) {
			assertThat(lab(command, "--help")).as(command).isZero();
		}
	}

	@Test
	void completionKnowsEveryCommand() {
		assertThat(lab("generate-completion")).isZero();

		assertThat(this.out.toString()).contains(Lab.commandLine().getSubcommands().keySet())
			.contains("--in-flight", "complete -F _complete_lab");
	}

	@Test
	void wrongUsageEndsWith2AndNamesTheOption() {
		assertThat(lab("up", "--infra", "podman")).isEqualTo(2);
		assertThat(this.err.toString()).contains("'podman'").contains("[AUTO, CONTAINERS, EMBEDDED]");
		assertThat(lab("up", "--port-offset", "-1")).isEqualTo(2);
		assertThat(lab("up", "--patience", "0")).isEqualTo(2);
		assertThat(lab("up", "--threads", "green")).isEqualTo(2);
		assertThat(lab("order", "--gateway", "localhost")).isEqualTo(2);
		assertThat(lab("unknown")).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "compare --ordrs 10", "compare --orders ten", "compare --scenario absent.yaml",
			"grid --delays", "up --infra podman", "knee --goal fast", "comprae" })
	void wrongUsageIsTwoLines(String arguments) {
		assertThat(lab(arguments.split(" "))).isEqualTo(2);

		String[] words = arguments.split(" ");
		assertThat(this.err.toString().lines()).hasSize(2).first().asString().startsWith("lab: ").hasSizeLessThan(300);
		assertThat(this.err.toString())
			.endsWith("Try './lab %s--help'%n".formatted((words.length > 1) ? words[0] + " " : ""));
	}

	@Test
	void anUnknownOptionComesWithTheNearestOne() {
		assertThat(lab("compare", "--ordrs", "10")).isEqualTo(2);

		assertThat(this.err.toString()).contains("'--ordrs'").contains("did you mean --orders");
	}

	@Test
	void failureEndsWith1AndOneLineThatSaysWhatToDo() {
		assertThat(lab("order", "--gateway", NOBODY)).isEqualTo(1);

		assertThat(this.err.toString()).hasLineCount(1).startsWith("lab: no answer from").contains("./lab up");
	}

	@Test
	void doctorWantsATemporaryDirectoryThatRunsPrograms() {
		String directory = System.setProperty("java.io.tmpdir", "/proc");
		try {
			assertThat(lab("doctor")).isOne();
		}
		finally {
			System.setProperty("java.io.tmpdir", directory);
		}

		assertThat(this.out.toString()).containsPattern("fail  programs +none runs from /proc")
			.containsPattern("(ok  |warn)  CPU +(other processes use \\d+ %|what other processes use is not known)");
	}

	@Test
	void verboseShowsWhereAFailureComesFrom() {
		assertThat(lab("order", "--verbose", "--gateway", NOBODY)).isEqualTo(1);

		assertThat(this.err.toString()).contains("at dev.sluice.lab.order.PlaceOrder");
	}

	private int lab(String... args) {
		CommandLine commandLine = Lab.commandLine();
		return commandLine.setOut(new PrintWriter(this.out)).setErr(new PrintWriter(this.err)).execute(args);
	}

}
