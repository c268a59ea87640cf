package dev.sluice.lab.statistics;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;

import dev.sluice.lab.kit.statistics.PairedComparison;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lab verify-statistics}. */
@Command(name = "verify-statistics", mixinStandardHelpOptions = true,
		description = "Shows whether the report's comparisons find a slow-down of 10 %% and nothing where nothing is,"
				+ " with noise as runs recorded it.")
public final class VerifyStatistics implements Callable<Integer> {

	/** Fewer recorded differences say too little about the noise. */
	private static final int MIN_RECORDED = 8;

	private static final int SHOWN = 20;

	/** Of twenty, as the report promises. */
	private static final int MIN_NO_DIFFERENCE = 19;

	private static final int MIN_FOUND = 16;

	private static final int MANY = 500;

	@Parameters(paramLabel = "DIR", arity = "0..*",
			description = "Directories of compare runs with repetitions, whose noise is used. Default: normal noise of --noise.")
	private List<Path> directories = List.of();

	@Option(names = "--noise", paramLabel = "DEVIATION",
			description = "Deviation of the logarithm of a pair's ratio, without DIR. Default: 0.14, as on two shared cores.")
	private @Nullable Double noise;

	@Option(names = "--seed", paramLabel = "NUMBER", defaultValue = "1",
			description = "Seed of the random numbers. Default: ${DEFAULT-VALUE}.")
	private long seed = 1;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private CommandSpec spec;

	@Override
	public Integer call() {
		try {
			PairNoise pairNoise = noise();
			Trials shown = Trials.run(SHOWN, pairNoise, new Random(this.seed));
			print(pairNoise, shown, Trials.run(MANY, pairNoise, new Random(this.seed + 1)));
			return (shown.noDifference() >= MIN_NO_DIFFERENCE && shown.found() >= MIN_FOUND) ? CommandLine.ExitCode.OK
					: CommandLine.ExitCode.SOFTWARE;
		}
		catch (IOException ex) {
			this.spec.commandLine().getErr().println(ex.getMessage());
			return CommandLine.ExitCode.SOFTWARE;
		}
	}

	private PairNoise noise() throws IOException {
		if (this.directories.isEmpty()) {
			double deviation = (this.noise != null) ? this.noise : PairNoise.USUAL;
			if (!(deviation > 0 && deviation <= 2)) {
				throw new ParameterException(this.spec.commandLine(), "--noise must be above 0 and at most 2");
			}
			return PairNoise.normal(deviation);
		}
		if (this.noise != null) {
			throw new ParameterException(this.spec.commandLine(), "Give --noise or directories of runs, not both");
		}
		List<RunResult> runs = new ArrayList<>();
		for (Path directory : this.directories) {
			runs.add(RunFile.read(directory.resolve(RunFile.NAME)));
		}
		PairNoise recorded = PairNoise.of(runs);
		if (recorded.recorded().size() < MIN_RECORDED) {
			throw new IOException(
					"These runs have %d pairs of repetitions, and %d are needed: measure with --repetitions"
						.formatted(recorded.recorded().size(), MIN_RECORDED));
		}
		return recorded;
	}

	private void print(PairNoise pairNoise, Trials shown, Trials many) {
		PrintWriter out = this.spec.commandLine().getOut();
		out.println("Noise of a pair: %s (%s)".formatted(Figures.measured(pairNoise.deviation()),
				pairNoise.recorded().isEmpty() ? "normal, given"
						: "as recorded in %s pairs".formatted(Figures.count(pairNoise.recorded().size()))));
		out.println("Pairs asked for, after %d to plan with: %s to %s".formatted(Trials.PILOT,
				Figures.count(shown.leastPairs()), Figures.count(shown.mostPairs())));
		out.println("With itself:                  %2d of %d comparisons find no difference (at least %d)"
			.formatted(shown.noDifference(), shown.trials(), MIN_NO_DIFFERENCE));
		out.println("With one that is %s slower: %3d of %d comparisons find it (at least %d)"
			.formatted(Figures.percent(PairedComparison.MARGIN), shown.found(), shown.trials(), MIN_FOUND));
		out.println("Over %s of each: %s find no difference, %s find the slower one".formatted(
				Figures.count(many.trials()), Figures.percent((double) many.noDifference() / many.trials()),
				Figures.percent((double) many.found() / many.trials())));
		out.flush();
	}

}
