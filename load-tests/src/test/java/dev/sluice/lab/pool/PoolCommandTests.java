package dev.sluice.lab.pool;

import java.io.PrintWriter;
import java.io.StringWriter;

import dev.sluice.lab.report.Report;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** A command that is not refused runs until it is interrupted. */
class PoolCommandTests {

	private final StringWriter err = new StringWriter();

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			--messages 0                      | --messages and --in-flight: 1 to 10,000
			--in-flight 10001                 | --messages and --in-flight: 1 to 10,000
			--interval 0                      | --interval: at least 1
			--new-connections -1              | the others: at least 0
			--serve http://127.0.0.1:8090/100 | Unknown option
			""")
	void refusesWhatMakesNoSense(String arguments, String message) {
		int exit = new CommandLine(new PoolCommand(Report::write)).setErr(new PrintWriter(this.err))
			.execute(arguments.split(" "));

		assertThat(exit).isEqualTo(2);
		assertThat(this.err.toString()).contains(message);
	}

}
