package dev.sluice.lab.surge;

import java.io.PrintWriter;
import java.io.StringWriter;

import dev.sluice.lab.Lab;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class SurgeExperimentTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			--steps 300           | is not like 3000:30
			--steps 300:0         | is not like 3000:30
			--steps 0:5           | is not like 3000:30
			--steps 100000:100    | --steps: 1 to 5000000 orders
			--connections 0       | --connections: 1 to 20000
			--heap 64             | --heap: at least 128 MB
			--repetitions 0       | --repetitions: at least 1
			--modes sync --keys   | --keys: not with sync orders
			--variants tomcat     | servlet-platform
			--modes luck          | expected one of
			""")
	void refusesWhatMakesNoSense(String arguments, String message) {
		StringWriter err = new StringWriter();

		int exit = Lab.commandLine().setErr(new PrintWriter(err)).execute(("surge " + arguments).split(" "));

		assertThat(exit).isEqualTo(2);
		assertThat(err.toString()).contains(message);
	}

}
