package dev.sluice.lab.knee;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.report.Report;
import dev.sluice.lab.report.ReportCommand;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lab knee}. */
@Command(name = "knee", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Searches the greatest rate that each variant and mode sustains, orders coming by the clock:"
				+ " with the goal met and no failure. Two minutes at most for each of the eight.")
public final class KneeCommand implements Callable<Integer> {

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	private static final Duration MEASURED = Duration.ofSeconds(5);

	/**
	 * Of one variant and mode, after which no step is begun: both modes of a variant take
	 * at most four minutes.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(95);

	private static final Duration SMALLEST_STEP = Duration.ofMillis(500);

	private static final Duration SMALLEST_LIMIT = Duration.ofSeconds(6);

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	@Option(names = "--goal", split = ",", paramLabel = "GOAL",
			description = "p99=TIME of the answers since due, saved-p99=TIME from accepted to saved of queued orders."
					+ " Default: p99=200ms,saved-p99=1s.")
	private List<String> goals = List.of();

	@Option(names = "--variants", split = ",", paramLabel = "VARIANT",
			description = "servlet-platform, servlet-virtual, servlet-async, reactive. Default: all.")
	private @Nullable List<String> variants;

	@Option(names = "--modes", split = ",", paramLabel = "MODE", description = "sync, queued. Default: both.")
	private @Nullable List<String> modes;

	@Option(names = "--backend", paramLabel = "CAPACITY", defaultValue = "unlimited",
			description = "unlimited or starved, 50 ms an order. Default: ${DEFAULT-VALUE}.")
	private String capacity = "unlimited";

	@Option(names = "--smallest", description = "A few short steps: shows that everything works, and measures nothing.")
	private boolean smallest;

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto",
			description = "Kafka and PostgreSQL: auto, containers or embedded. Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	@Option(names = "--out", paramLabel = "DIR", description = "Where the results go. Default: results/knee-<time>.")
	private @Nullable Path out;

	@Override
	public Integer call() throws IOException {
		KneeExperiment.Settings settings = settings();
		RunDirectory directory = RunDirectory.create(this.out, KneeExperiment.NAME, Instant.now());
		try (Interruption interruption = new Interruption()) {
			RunResult result = new KneeExperiment(settings, directory, Progress.toStandardError()).run(interruption);
			return conclude(result, directory);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The run cannot go on", ex);
		}
		catch (UncheckedIOException ex) {
			throw RunDirectory.failure("The run cannot go on", Objects.requireNonNull(ex.getCause()));
		}
	}

	private int conclude(RunResult result, RunDirectory directory) throws IOException {
		PrintWriter stdout = this.spec.commandLine().getOut();
		Path report = directory.path().resolve(ReportCommand.NAME);
		Report.write(List.of(result), report);
		if (result.finding() instanceof KneeResult knee) {
			stdout.print(KneeText.of(knee));
		}
		stdout.println("Report: " + report);
		stdout.flush();
		if (result.partial() != null) {
			throw new LabException("The run is partial: " + result.partial());
		}
		return 0;
	}

	private KneeExperiment.Settings settings() {
		try {
			String words = this.spec.commandLine()
				.getParseResult()
				.originalArgs()
				.stream()
				.filter((word) -> !word.equals(KneeExperiment.NAME))
				.collect(Collectors.joining(" "));
			return new KneeExperiment.Settings(("lab knee " + words).strip(),
					chosen(this.variants, Variant::of, Variant.values()), chosen(this.modes, Mode::of, Mode.values()),
					Goal.of(this.goals), BackendCapacity.of(this.capacity), this.infrastructure,
					this.smallest ? SMALLEST_STEP : WARM_UP, this.smallest ? SMALLEST_STEP : MEASURED,
					this.smallest ? SMALLEST_LIMIT : LIMIT);
		}
		catch (IllegalArgumentException ex) {
			throw new ParameterException(this.spec.commandLine(), String.valueOf(ex.getMessage()), ex);
		}
	}

	private static <E> List<E> chosen(@Nullable List<String> names, Function<String, E> of, E[] all) {
		return ((names != null) ? names.stream().map(of) : Arrays.stream(all)).distinct().toList();
	}

}
