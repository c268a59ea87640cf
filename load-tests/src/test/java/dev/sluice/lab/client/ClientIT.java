package dev.sluice.lab.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** The client against the real backend. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class ClientIT {

	@TempDir
	private Path directory;

	@Test
	void aTargetThatStandsStillIsSeenInTheMedian() throws Exception {
		StringWriter err = new StringWriter();
		int exit = new CommandLine(new ClientCommand(Report::write)).setOut(new PrintWriter(new StringWriter()))
			.setErr(new PrintWriter(err))
			.execute("--freeze", "--out", this.directory.toString());

		assertThat(exit).as(err.toString()).isZero();
		assertThat(RunFile.read(this.directory.resolve(RunFile.NAME)).finding())
			.isInstanceOfSatisfying(ClientResult.class, (client) -> {
				ClientResult.Run run = client.runs().getFirst();
				assertThat(run.tally().due()).isEqualTo(5_000);
				assertThat(run.tally().sent()).isEqualTo(5_000);
				assertThat(run.tally().answered()).isEqualTo(5_000);
				assertThat(run.latency()).isNotNull();
				// Three of five requests were due during the freeze, the first of them 6
				// s before its end. A client
				// that waits for each answer before it sends the next request would have
				// seen one or a few of them.
				assertThat(run.latency().p50()).isGreaterThan(800);
				assertThat(run.latency().p95()).isGreaterThan(5_000);
			});
		assertThat(this.directory.resolve("report.html")).content().contains("the stop is seen");
	}

}
