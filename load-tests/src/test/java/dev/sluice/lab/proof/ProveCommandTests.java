package dev.sluice.lab.proof;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class ProveCommandTests {

	@Test
	void refusesAProofThatThereIsNot() {
		StringWriter err = new StringWriter();

		int exit = new CommandLine(new ProveCommand(Report::write)).setErr(new PrintWriter(err)).execute("key", "luck");

		assertThat(exit).isEqualTo(2);
		assertThat(err.toString()).contains("proof 'luck' is unknown: use key, outage");
	}

	@Test
	void namesEveryProofInItsHelp() {
		String help = new CommandLine(new ProveCommand(Report::write)).getUsageMessage();

		List<String> names = ProveCommand.ALL.stream().map(Proof::name).toList();
		assertThat(names).doesNotHaveDuplicates().allMatch(help::contains);
	}

}
