package dev.sluice.lab.size;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.size.Sizing.Need;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lab size}. */
@Command(name = "size", mixinStandardHelpOptions = true,
		description = "Prints the cores, instances and partitions that a rate needs, from the CPU of an order in runs of"
				+ " lab compare.")
public final class SizeCommand implements Callable<Integer> {

	/** The default number of partitions of the topic {@code orders}. */
	private static final int PARTITIONS = 12;

	@Parameters(paramLabel = "DIR", arity = "1..*", description = "Directories of runs of lab compare.")
	private List<Path> directories = List.of();

	@Option(names = "--orders-per-second", paramLabel = "R", required = true, description = "The rate to be carried.")
	private double ordersPerSecond;

	@Option(names = "--utilisation", paramLabel = "PERCENT", defaultValue = "60",
			description = "Share of the cores to be used at that rate, 1 to 100. Default: ${DEFAULT-VALUE}.")
	private int utilisation = 60;

	@Option(names = "--cores", paramLabel = "N", defaultValue = "2",
			description = "Cores of an instance. Default: ${DEFAULT-VALUE}.")
	private int cores = 2;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private CommandSpec spec;

	@Override
	public Integer call() {
		if (!(this.ordersPerSecond > 0) || this.utilisation < 1 || this.utilisation > 100 || this.cores < 1) {
			throw new ParameterException(this.spec.commandLine(),
					"--orders-per-second must be above 0, --utilisation from 1 to 100, --cores at least 1");
		}
		List<RunResult> runs = new ArrayList<>();
		for (Path directory : this.directories) {
			try {
				runs.add(RunFile.read(directory.resolve(RunFile.NAME)));
			}
			catch (IOException ex) {
				throw new LabException(String.valueOf(ex.getMessage()), ex);
			}
		}
		List<CellResult> cells = runs.stream().flatMap((run) -> run.cells().stream()).toList();
		List<Need> needs = new Sizing(this.ordersPerSecond, this.utilisation / 100.0).of(cells);
		if (needs.isEmpty()) {
			throw new LabException("No reliable cell of these runs has the CPU of an order: run lab compare"
					+ " on a quiet machine and name its directory");
		}
		print(runs, needs);
		return CommandLine.ExitCode.OK;
	}

	private void print(List<RunResult> runs, List<Need> needs) {
		PrintWriter out = this.spec.commandLine().getOut();
		out.printf(Locale.ROOT, "%,.0f orders per second at %d %% of the cores; instances of %d cores%n%n",
				this.ordersPerSecond, this.utilisation, this.cores);
		out.printf("%-18s %-7s %-12s %8s %17s %10s %6s%n", "variant", "mode", "service", "cores", "from - to",
				"instances", "cells");
		for (Need need : needs) {
			out.printf(Locale.ROOT, "%-18s %-7s %-12s %8.2f %7.2f - %7.2f %10d %6d%n", need.variant(), need.mode(),
					need.service(), need.cores(), need.least(), need.most(), need.instances(this.cores), need.cells());
		}
		long consumers = needs.stream()
			.filter((need) -> need.service().equals("consumer") && need.mode().equals("queued"))
			.mapToLong((need) -> need.instances(this.cores))
			.max()
			.orElse(0);
		out.printf(Locale.ROOT,
				"%nPartitions of the topic orders: at least %d, one for each consumer; the default is %d.%n",
				Math.max(consumers, 1), PARTITIONS);
		out.println("From - to: the lowest and the highest cell. Cores are assumed to grow in proportion to the rate,"
				+ " which has not been measured beyond these runs:");
		for (RunResult run : runs) {
			out.printf(Locale.ROOT, "  %s, %s, %d cores, commit %s%n", run.command(), run.environment().cpu(),
					run.environment().cores(), run.environment().gitSha());
		}
		out.println("Add spare instances for failures; memory and disks are not included.");
		out.flush();
	}

}
