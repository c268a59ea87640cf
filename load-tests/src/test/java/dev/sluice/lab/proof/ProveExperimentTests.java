package dev.sluice.lab.proof;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.ProofResult.Check;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.ProveResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.run.SourceOption.Source;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.claim.TestBed;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Uses fake proofs that start nothing. */
class ProveExperimentTests {

	@TempDir
	private Path directory;

	@Test
	void goesOnAfterProofsThatBreakOff() throws IOException {
		run(new Claim("gateway", () -> {
			throw new ConnectException("refused");
		}), new Claim("kafka", () -> {
			throw new TimeoutException("no answer");
		}), new Claim("good", () -> new Proof.Evidence(Map.of(), List.of(Check.none("orders lost", 0)), null)));

		RunResult result = RunFile.read(this.directory.resolve(RunFile.NAME));
		assertThat(result.partial()).isNull();
		List<ProofResult> proofs = ((ProveResult) result.finding()).proofs();
		assertThat(proofs).extracting(ProofResult::proof).containsExactly("gateway", "kafka", "good");
		assertThat(proofs).extracting(ProofResult::holds).containsExactly(false, false, true);
		assertThat(proofs.getFirst().problem()).contains("ConnectException: refused");
		assertThat(proofs.get(1).problem()).contains("TimeoutException: no answer");
	}

	private void run(Proof... proofs) throws IOException {
		try (Interruption interruption = new Interruption()) {
			new ProveExperiment(
					new Run("lab prove", new RunDirectory(this.directory),
							new Progress(new PrintStream(OutputStream.nullOutputStream()), false, Instant.EPOCH),
							new PrintWriter(new StringWriter()), interruption),
					Infrastructure.EMBEDDED, new ProveExperiment.Settings(Length.SMALLEST, 1, 0, Source.PARTITIONS),
					List.of(proofs))
				.run();
		}
	}

	@FunctionalInterface
	private interface Work {

		Proof.Evidence done() throws IOException;

	}

	private record Claim(String name, Work work) implements Proof {

		@Override
		public String question() {
			return "Does it hold?";
		}

		@Override
		public Set<Module> modules() {
			return Set.of();
		}

		@Override
		public Evidence run(TestBed testBed) throws IOException {
			return this.work.done();
		}

	}

}
