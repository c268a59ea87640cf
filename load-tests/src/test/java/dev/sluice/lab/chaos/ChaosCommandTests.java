package dev.sluice.lab.chaos;

import java.io.PrintWriter;
import java.io.StringWriter;

import dev.sluice.lab.Lab;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ChaosCommandTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			--rate 0             | --rate must be above 0
			--minutes 400        | give 1 to 2000000 orders
			--faults sink        | Invalid value for option '--faults' (TARGET): expected one of
			--quick --smallest   | mutually exclusive
			--brokers 2          | --brokers must be 1 or 3
			""")
	void refusesWhatCannotBe(String arguments, String message) {
		assertRefused(arguments, message);
	}

	private static void assertRefused(String arguments, String message) {
		StringWriter err = new StringWriter();

		int exit = Lab.commandLine().setErr(new PrintWriter(err)).execute(("chaos " + arguments).split(" "));

		assertThat(exit).isEqualTo(2);
		assertThat(err.toString()).contains(message);
	}

}
