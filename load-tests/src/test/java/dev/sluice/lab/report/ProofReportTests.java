package dev.sluice.lab.report;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ProofReportTests {

	@Test
	void beginsWithTheVerdict() {
		String page = Report.page(List.of(Runs.proofs(0)));

		assertThat(page).contains("Yes, all 2.", "Is it <b>one</b>?".replace("<", "&lt;").replace(">", "&gt;"));
		assertThat(page.indexOf("id=\"run-1-verdict\"")).isLessThan(page.indexOf("id=\"run-1-proof-key\""));
		assertThat(page).doesNotContain("No cell was measured", "NOT REACHED");
	}

	@Test
	void namesWhatWasNotReached() {
		String page = Report.page(List.of(Runs.proofs(3))).replaceAll("\\s*\\n\\s*", "");

		assertThat(page).contains("No: 1 of 2.", "does not hold (1 of 2 checks)", "NOT REACHED");
	}

	@Test
	void tellsThatAProofBrokeOff() {
		ProofResult broken = new ProofResult("key", "Why?", Map.of(), List.of(), null, 10, "no Kafka");

		assertThat(Report.page(List.of(Runs.proofs(broken)))).contains("No: 0 of 1.", "broke off: no Kafka");
	}

	@Test
	void drawsWhatWentOn() {
		assertThat(Report.page(List.of(Runs.proofs(0))))
			.contains("{\"lane\":\"broker\",\"name\":\"freeze\",\"style\":1,\"from\":0.5,\"to\":1.5}", "[4.0,null]");
	}

	@Test
	void isTheSameFromTheFile(@TempDir Path directory) throws Exception {
		RunResult run = Runs.proofs(3);

		assertThat(RunFile.read(RunFile.write(run, directory))).isEqualTo(run);
	}

}
