package dev.sluice.lab.grid;

import java.io.PrintWriter;
import java.io.StringWriter;

import dev.sluice.lab.report.Report;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class GridPlanTests {

	@Test
	void wholeHasEachDelayAndEachNumberInFlight() {
		GridPlan plan = GridPlan.of(Length.WHOLE);

		assertThat(plan.delays()).containsExactly(0L, 100L, 250L, 500L);
		assertThat(plan.concurrencies()).containsExactly(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 500, 1_000);
		assertThat(plan.cells()).isEqualTo(5 * 4 * 13);
	}

	@Test
	void aSmallPoolIsSetAndTheUsualOneIsNot() {
		assertThat(GridPlan.of(Length.QUICK).subjects()).first()
			.satisfies((small) -> assertThat(small.options().properties()).containsEntry("server.tomcat.threads.max",
					"14"));
		assertThat(GridPlan.of(Length.QUICK).subjects()).element(1)
			.satisfies(
					(usual) -> assertThat(usual.options().properties()).doesNotContainKey("server.tomcat.threads.max"));
	}

	@Test
	void noGatewayLooksUpKeysBecauseNothingIsThereThatKnowsThem() {
		assertThat(GridPlan.of(Length.WHOLE).subjects())
			.allSatisfy((subject) -> assertThat(subject.options().properties())
				.containsEntry("status.key-lookup-timeout", "0"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			--delays -1         | --delays: 0 to 5000 ms
			--concurrency 0     | --concurrency: 1 to 2000
			--quick --smallest  | mutually exclusive
			""")
	void refusesWhatMakesNoSense(String arguments, String message) {
		StringWriter err = new StringWriter();

		int exit = new CommandLine(new GridCommand(Report::write)).setErr(new PrintWriter(err))
			.execute(arguments.split(" +"));

		assertThat(exit).isEqualTo(2);
		assertThat(err.toString()).contains(message);
	}

}
