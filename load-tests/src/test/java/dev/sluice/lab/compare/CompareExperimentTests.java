package dev.sluice.lab.compare;

import java.io.PrintWriter;
import java.io.StringWriter;

import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.Lab;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class CompareExperimentTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			--burst --orders ten | ten
			--orders 10 | add it
			--burst --orders 0 | at least 1
			--in-flight 0 | at least 1
			--rates 100 --burst | choose one
			--in-flight 10 --rates 100 | choose one
			--seed x | --seed
			--variants servlet | servlet-platform
			--modes both | SYNC, QUEUED
			--repetitions 0 | at least 1
			--infra docker | EMBEDDED
			--delivery-concurrency 0 | at least 1
			--unknown | --unknown
			--target http://127.0.0.1:9 --rates 5 --burst | leave out --burst
			--causes --burst | leave out --burst
			--causes --quick --repetitions 8 | no repetitions
			""")
	void wrongUsageEndsWithTwoAndSaysWhatIsRight(String arguments, String hint) {
		StringWriter err = new StringWriter();

		int exitCode = Lab.commandLine().setErr(new PrintWriter(err)).execute(("compare " + arguments).split(" "));

		assertThat(exitCode).isEqualTo(2);
		assertThat(err.toString()).contains(hint);
	}

	@ParameterizedTest
	@EnumSource(value = Load.Kind.class, names = "BURST", mode = EnumSource.Mode.EXCLUDE)
	void cellsThatLastDifferentTimesHaveBackendsThatDoNotChangeMeanwhile(Load.Kind kind) {
		assertThat(CompareExperiment.capacities(kind, Length.QUICK)).doesNotContain(BackendModel.STARVED)
			.isEqualTo(CompareExperiment.capacities(kind, Length.WHOLE));
	}

}
