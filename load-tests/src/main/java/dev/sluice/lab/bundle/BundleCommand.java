package dev.sluice.lab.bundle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import dev.sluice.lab.kit.bundle.Bundle;
import dev.sluice.lab.kit.bundle.Bundle.Content;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lab bundle}. */
@Command(name = "bundle", mixinStandardHelpOptions = true,
		description = "Packs a run (plan, machine, versions, raw data, command, report) into one file, which lab report"
				+ " opens and lab rerun repeats.")
public final class BundleCommand implements Callable<Integer> {

	@Parameters(paramLabel = "DIR", description = "Directory of a run.")
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private Path directory;

	@Option(names = "--out", paramLabel = "FILE",
			description = "The bundle to write. Default: DIR" + Bundle.SUFFIX + ".")
	private @Nullable Path out;

	@Option(names = "--cells",
			description = "Packs only the files from which a compare's cells are computed: run.json, the load generator's log,"
					+ " the times of the orders and the samples of the processes.")
	private boolean cells;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private CommandSpec spec;

	@Override
	public Integer call() {
		Path run = this.directory.toAbsolutePath().normalize();
		Path bundle = (this.out != null) ? this.out : Path.of(run + Bundle.SUFFIX);
		try {
			Bundle.pack(run, bundle.toAbsolutePath(), this.cells ? Content.CELLS : Content.ALL);
		}
		catch (IOException ex) {
			throw new LabException(String.valueOf(ex.getMessage()), ex);
		}
		this.spec.commandLine().getOut().println(bundle.toAbsolutePath().normalize());
		return CommandLine.ExitCode.OK;
	}

}
