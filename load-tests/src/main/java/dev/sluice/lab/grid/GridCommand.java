package dev.sluice.lab.grid;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.result.GridResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.report.Report;
import dev.sluice.lab.report.ReportCommand;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lab grid}. */
@Command(name = "grid", mixinStandardHelpOptions = true, sortOptions = false,
		description = "Measures the ways to wait for a backend, by its delay and the requests in flight: throughput,"
				+ " response time, executing against queued, CPU and memory. About half an hour.")
public final class GridCommand implements Callable<Integer> {

	/**
	 * With a thirtieth of it the first of the cells that the CPU bounds spent six times
	 * the CPU of the later ones on a request; with this still twice. Ends after 20 s.
	 */
	private static final int WARM_UP = 60_000;

	/** What five minutes leave time for. */
	private static final int QUICK_WARM_UP = 2_000;

	private static final int SMALLEST_WARM_UP = 200;

	private static final int MOST_DELAY = 5_000;

	/** What the gateways let through: {@code backend.max-concurrent}. */
	private static final int MOST_CONCURRENCY = 2_000;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
	private CommandSpec spec;

	@ArgGroup
	private @Nullable Length length;

	@Option(names = "--delays", split = ",", paramLabel = "MILLIS",
			description = "Of the backend. Default: 0,100,250,500.")
	private @Nullable List<Long> delays;

	@Option(names = "--concurrency", split = ",", paramLabel = "N",
			description = "Requests in flight. Default: 10,20,…,100,200,500,1000; with --quick 10,50,100.")
	private @Nullable List<Integer> concurrencies;

	@Option(names = "--infra", paramLabel = "KIND", defaultValue = "auto",
			description = "Kafka and PostgreSQL: auto, containers or embedded. Default: ${DEFAULT-VALUE}.")
	private Infrastructure infrastructure = Infrastructure.AUTO;

	@Option(names = "--out", paramLabel = "DIR", description = "Where the results go. Default: results/grid-<time>.")
	private @Nullable Path out;

	/** At most one of them. */
	private static final class Length {

		@Option(names = "--quick", required = true, description = "The main points, within five minutes.")
		private boolean quick;

		@Option(names = "--smallest", required = true,
				description = "Two cells: shows that everything works, and measures nothing.")
		private boolean smallest;

	}

	@Override
	public Integer call() throws IOException {
		GridPlan plan = plan();
		String words = this.spec.commandLine()
			.getParseResult()
			.originalArgs()
			.stream()
			.filter((word) -> !word.equals(GridExperiment.NAME))
			.collect(Collectors.joining(" "));
		GridExperiment.Settings settings = new GridExperiment.Settings(("lab grid " + words).strip(),
				this.infrastructure, warmUpOrders());
		RunDirectory directory = RunDirectory.create(this.out, GridExperiment.NAME, Instant.now());
		try (Interruption interruption = new Interruption()) {
			return conclude(new GridExperiment(settings, plan, directory, Progress.toStandardError()).run(interruption),
					directory);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The run cannot go on", ex);
		}
		catch (UncheckedIOException ex) {
			throw RunDirectory.failure("The run cannot go on", Objects.requireNonNull(ex.getCause()));
		}
	}

	private int warmUpOrders() {
		if (this.length == null) {
			return WARM_UP;
		}
		return this.length.smallest ? SMALLEST_WARM_UP : QUICK_WARM_UP;
	}

	private GridPlan plan() {
		GridPlan plan = (this.length == null) ? GridPlan.whole()
				: this.length.smallest ? GridPlan.smallest() : GridPlan.quick();
		plan = plan.with((this.delays != null) ? this.delays.stream().distinct().toList() : plan.delays(),
				(this.concurrencies != null) ? this.concurrencies.stream().distinct().toList() : plan.concurrencies());
		if (plan.delays().stream().anyMatch((delay) -> delay < 0 || delay > MOST_DELAY)) {
			throw new ParameterException(this.spec.commandLine(), "--delays: 0 to %,d ms".formatted(MOST_DELAY));
		}
		if (plan.concurrencies().stream().anyMatch((load) -> load < 1 || load > MOST_CONCURRENCY)) {
			throw new ParameterException(this.spec.commandLine(),
					"--concurrency: 1 to %,d".formatted(MOST_CONCURRENCY));
		}
		return plan;
	}

	private int conclude(RunResult result, RunDirectory directory) throws IOException {
		PrintWriter stdout = this.spec.commandLine().getOut();
		Path report = directory.path().resolve(ReportCommand.NAME);
		Report.write(List.of(result), report);
		if (result.finding() instanceof GridResult grid) {
			stdout.print(GridText.of(grid));
		}
		stdout.println("Report: " + report);
		stdout.flush();
		if (result.partial() != null) {
			throw new LabException("The run is partial: " + result.partial());
		}
		return 0;
	}

}
