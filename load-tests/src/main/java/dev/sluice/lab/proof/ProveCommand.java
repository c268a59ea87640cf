package dev.sluice.lab.proof;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.proof.Bench.Size;
import dev.sluice.lab.report.Report;
import dev.sluice.lab.report.ReportCommand;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lab prove}. */
@Command(name = "prove", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Puts what Sluice promises to the test, claim by claim: what it must reach, what was measured.",
		footer = { "", "Exit code: 0 every proof holds, 1 one does not or broke off, 2 wrong usage." })
public final class ProveCommand implements Callable<Integer> {

	static final List<Proof> ALL = List.of(new KeyProof(), new OutageProof(), new IsolationProof(),
			new RebalanceProof(), new BacklogProof(), new InputProof(), new SlowBodiesProof(), new TwinsProof(),
			new RecordsProof());

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	@Parameters(paramLabel = "PROOF", arity = "0..*",
			description = "key, outage, isolation, rebalance, backlog, input, slow-bodies, twins, records. Default: all.")
	private List<String> names = List.of();

	@ArgGroup
	private @Nullable Length length;

	@Option(names = "--seed", paramLabel = "S", description = "Of what is drawn. Default: drawn, and told.")
	private @Nullable Long seed;

	@Option(names = "--requests", paramLabel = "N", defaultValue = "0",
			description = "Number of requests of the proof 'twins'. Default: by the size.")
	private int requests;

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto",
			description = "Kafka and PostgreSQL: auto, containers or embedded. Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	@Option(names = "--out", paramLabel = "DIR", description = "Where the results go. Default: results/prove-<time>.")
	private @Nullable Path out;

	@Override
	public Integer call() throws IOException {
		if (this.requests < 0) {
			throw new ParameterException(this.spec.commandLine(), "--requests: 1 or more");
		}
		List<Proof> proofs = this.names.isEmpty() ? ALL : this.names.stream().map(this::proof).toList();
		long drawn = (this.seed != null) ? this.seed : System.nanoTime() % 1_000_000;
		Prove.Settings settings = new Prove.Settings(commandLine(drawn), this.infrastructure,
				(this.length != null) ? this.length.size() : Size.WHOLE, drawn, this.requests);
		RunDirectory directory = RunDirectory.create(this.out, Prove.NAME, Instant.now());
		try (Interruption interruption = new Interruption()) {
			RunResult result = new Prove(settings, proofs, directory, Progress.toStandardError()).run(interruption);
			return conclude(result, directory);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The run cannot go on", ex);
		}
		catch (UncheckedIOException ex) {
			throw RunDirectory.failure("The run cannot go on", Objects.requireNonNull(ex.getCause()));
		}
	}

	private Proof proof(String name) {
		return ALL.stream()
			.filter((proof) -> proof.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new ParameterException(this.spec.commandLine(), "proof '%s' is unknown: use %s"
				.formatted(name, ALL.stream().map(Proof::name).collect(Collectors.joining(", ")))));
	}

	private int conclude(RunResult result, RunDirectory directory) throws IOException {
		PrintWriter stdout = this.spec.commandLine().getOut();
		Path report = directory.path().resolve(ReportCommand.NAME);
		Report.write(List.of(result), report);
		stdout.print(VerdictText.of(result.proofs()));
		stdout.println("Report: " + report);
		stdout.flush();
		if (result.partial() != null) {
			throw new LabException("The run is partial: " + result.partial());
		}
		List<String> open = result.proofs().stream().filter((proof) -> !proof.holds()).map(ProofResult::proof).toList();
		if (!open.isEmpty()) {
			throw new LabException("Not proved: " + String.join(", ", open));
		}
		return 0;
	}

	/** At most one of them. */
	private static final class Length {

		@Option(names = "--quick", required = true, description = "A small form of each, of a minute or two.")
		private boolean quick;

		@Option(names = "--smallest", required = true,
				description = "The smallest form: shows that everything works, and proves little.")
		private boolean smallest;

		Size size() {
			return this.smallest ? Size.SMALLEST : this.quick ? Size.QUICK : Size.WHOLE;
		}

	}

	/** With the seed, so that it can be repeated. */
	private String commandLine(long drawn) {
		Stream<String> words = this.spec.commandLine()
			.getParseResult()
			.originalArgs()
			.stream()
			.filter((word) -> !word.equals(Prove.NAME));
		Stream<String> seeded = (this.seed != null) ? words : Stream.concat(words, Stream.of("--seed", "" + drawn));
		return Stream.concat(Stream.of("lab", Prove.NAME), seeded).collect(Collectors.joining(" "));
	}

}
