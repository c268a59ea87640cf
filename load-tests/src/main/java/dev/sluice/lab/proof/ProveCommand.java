package dev.sluice.lab.proof;

import java.util.List;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.LengthOptions;
import dev.sluice.lab.kit.run.ReportWriter;
import dev.sluice.lab.kit.run.SourceOption.Source;
import dev.sluice.lab.kit.run.SourceOption;
import dev.sluice.lab.proof.claim.Proof;
import dev.sluice.lab.proof.delivery.ArchivingProof;
import dev.sluice.lab.proof.delivery.BacklogProof;
import dev.sluice.lab.proof.delivery.IsolationProof;
import dev.sluice.lab.proof.delivery.OutageProof;
import dev.sluice.lab.proof.delivery.RebalanceProof;
import dev.sluice.lab.proof.delivery.RecordsProof;
import dev.sluice.lab.proof.delivery.RefusalProof;
import dev.sluice.lab.proof.requests.InputProof;
import dev.sluice.lab.proof.requests.KeyProof;
import dev.sluice.lab.proof.requests.SlowBodiesProof;
import dev.sluice.lab.proof.requests.TwinsProof;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lab prove}. */
@Command(name = "prove",
		description = "Tests what Sluice promises, claim by claim, and shows each limit beside the measured value.",
		footer = { "", "Exit code: 0 every proof holds, 1 one does not hold or ended early, 2 wrong usage." })
public final class ProveCommand extends ExperimentCommand {

	static final List<Proof> ALL = List.of(new KeyProof(), new OutageProof(), new IsolationProof(),
			new RebalanceProof(), new BacklogProof(), new InputProof(), new SlowBodiesProof(), new TwinsProof(),
			new RecordsProof(), RefusalProof.throttling(), RefusalProof.backendOutage(), new ArchivingProof());

	@Parameters(paramLabel = "PROOF", arity = "0..*",
			description = "key, outage, isolation, rebalance, backlog, input, slow-bodies, twins, records,"
					+ " throttling, backend-outage, archiving. Default: all; with --source share-group, all but rebalance.")
	private List<String> names = List.of();

	@Mixin
	private LengthOptions length = new LengthOptions();

	@Option(names = "--seed", paramLabel = "S",
			description = "Start value of random choices. Default: drawn, and printed.")
	private @Nullable Long seed;

	@Option(names = "--requests", paramLabel = "N", defaultValue = "0",
			description = "Number of requests of the proof 'twins'. Default: by --quick or --smallest.")
	private int requests;

	@Mixin
	private SourceOption source = new SourceOption();

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	public ProveCommand(ReportWriter report) {
		super(report);
	}

	@Override
	public Integer call() {
		if (this.requests < 0) {
			throw usage("--requests: 1 or more");
		}
		if (this.source.value() == Source.SHARE_GROUP && this.names.contains(RebalanceProof.NAME)) {
			throw usage("The proof 'rebalance' is about partitions: a share group has none that move");
		}
		List<Proof> proofs = this.names.isEmpty() ? all() : this.names.stream().map(this::proof).toList();
		long drawn = (this.seed != null) ? this.seed : System.nanoTime() % 1_000_000;
		String command = (this.seed != null) ? commandLine() : commandLine("--seed", Long.toString(drawn));
		return run(ProveExperiment.NAME, command, (run) -> new ProveExperiment(run, this.infrastructure.value(),
				new ProveExperiment.Settings(this.length.value(), drawn, this.requests, this.source.value()), proofs));
	}

	private List<Proof> all() {
		return ALL.stream()
			.filter((proof) -> this.source.value() == Source.PARTITIONS || !proof.name().equals(RebalanceProof.NAME))
			.toList();
	}

	private Proof proof(String name) {
		return ALL.stream()
			.filter((proof) -> proof.name().equals(name))
			.findFirst()
			.orElseThrow(() -> usage("proof '%s' is unknown: use %s".formatted(name,
					ALL.stream().map(Proof::name).collect(Collectors.joining(", ")))));
	}

}
