package dev.sluice.lab.watch;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class WatchCommandTests {

	private final StringWriter err = new StringWriter();

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					--port 65536                                                      | --port: 0 to 65535
					--port-offset -1                                                  | --port-offset: 0 to 50000
					--target a=ftp://127.0.0.1                                        | is not like gateway=http://127.0.0.1:8080
					--target a=127.0.0.1                                              | is not like gateway=http://127.0.0.1:8080
					""")
	void refusesWhatMakesNoSense(String arguments, String message) {
		int exit = execute(arguments.split(" "));

		assertThat(exit).isEqualTo(2);
		assertThat(this.err.toString()).contains(message);
	}

	@Test
	void saysThatThePortIsTaken() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			CommandLine command = new CommandLine(new WatchCommand()).setErr(new PrintWriter(this.err))
				.setExecutionExceptionHandler((ex, line, _) -> {
					line.getErr().println(ex.getMessage());
					return 1;
				});

			int exit = command.execute("--port", "" + taken.getLocalPort());

			assertThat(exit).isEqualTo(1);
			assertThat(this.err.toString()).hasLineCount(1)
				.contains("port %s is taken".formatted(taken.getLocalPort()), "--port");
		}
	}

	private int execute(String... arguments) {
		return new CommandLine(new WatchCommand()).setOut(new PrintWriter(new StringWriter()))
			.setErr(new PrintWriter(this.err))
			.execute(arguments);
	}

}
