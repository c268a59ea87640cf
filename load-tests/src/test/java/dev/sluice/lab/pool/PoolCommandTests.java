package dev.sluice.lab.pool;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;

import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** A command that is not refused runs until it is interrupted. */
class PoolCommandTests {

	private final StringWriter err = new StringWriter();

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			--status --port 70000             | --port: 0 to 65,535
			--status --port -1                | --port: 0 to 65,535
			--serve http://127.0.0.1:70000/   | --serve needs a URI like
			--serve ftp://127.0.0.1:21/       | --serve needs a URI like
			--messages 0                      | --messages and --in-flight: 1 to 10,000
			""")
	void refusesWhatMakesNoSense(String arguments, String message) {
		int exit = new CommandLine(new PoolCommand(Report::write)).setErr(new PrintWriter(this.err))
			.execute(arguments.split(" "));

		assertThat(exit).isEqualTo(2);
		assertThat(this.err.toString()).contains(message);
	}

	@Test
	void saysThatThePortIsTaken() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			CommandLine command = new CommandLine(new PoolCommand(Report::write)).setErr(new PrintWriter(this.err))
				.setExecutionExceptionHandler((ex, line, _) -> {
					line.getErr().println(ex.getMessage());
					return 1;
				});

			int exit = command.execute("--serve", "http://127.0.0.1:8090/100", "--port", "" + taken.getLocalPort());

			assertThat(exit).isEqualTo(1);
			assertThat(this.err.toString()).hasLineCount(1)
				.contains("--port of the dispatcher: port %d is taken".formatted(taken.getLocalPort()));
		}
	}

}
