package dev.sluice.lab;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class LabTests {

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
	void wrongUsageEndsWith2AndNamesTheOption() {
		assertThat(lab("up", "--infra", "podman")).isEqualTo(2);
		assertThat(this.err.toString()).contains("'podman'").contains("auto, containers or embedded");
		assertThat(lab("up", "--port-offset", "-1")).isEqualTo(2);
		assertThat(lab("up", "--threads", "green")).isEqualTo(2);
		assertThat(lab("order", "--gateway", "localhost")).isEqualTo(2);
		assertThat(lab("order", "--queued", "--sync")).isEqualTo(2);
		assertThat(lab("unknown")).isEqualTo(2);
	}

	@Test
	void failureEndsWith1AndOneLineThatSaysWhatToDo() throws Exception {
		int port;
		try (ServerSocket closed = new ServerSocket(0)) {
			port = closed.getLocalPort();
		}

		assertThat(lab("order", "--gateway", "http://127.0.0.1:" + port)).isEqualTo(1);

		assertThat(this.err.toString()).hasLineCount(1).startsWith("lab: no answer from").contains("./lab up");
	}

	@Test
	void verboseShowsWhereAFailureComesFrom() throws Exception {
		int port;
		try (ServerSocket closed = new ServerSocket(0)) {
			port = closed.getLocalPort();
		}

		assertThat(lab("order", "--verbose", "--gateway", "http://127.0.0.1:" + port)).isEqualTo(1);

		assertThat(this.err.toString()).contains("at dev.sluice.lab.PlaceOrder");
	}

	private int lab(String... args) {
		CommandLine commandLine = Lab.commandLine();
		return commandLine.setOut(new PrintWriter(this.out)).setErr(new PrintWriter(this.err)).execute(args);
	}

}
