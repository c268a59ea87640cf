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
			--rate 0                         | --rate must be above 0
			--orders 100 --minutes 1         | use one of them
			--orders 3000000                 | Between 1 and 2000000 orders
			--faults sink                    | Invalid value for option '--faults' (TARGET): expected one of
			--kinds burn                     | Invalid value for option '--kinds' (KIND): expected one of
			--faults backend --kinds kill    | None of [backend] can be broken by [kill]
			--quick --smallest               | mutually exclusive
			--smallest --minutes 1           | The load must last at least 63 s for 16 faults
			--minutes 1 --kills-each 20      | The load must last at least
			--kills-each 0                   | At least one kill
			--brokers 2                      | --brokers must be 1 or 3
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
