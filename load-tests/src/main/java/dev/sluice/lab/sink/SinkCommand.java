package dev.sluice.lab.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.run.ExperimentCommand;
import dev.sluice.lab.kit.run.InfrastructureOption;
import dev.sluice.lab.kit.run.RunDirectory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab sink}. */
@Command(name = "sink",
		description = "Sends the same metrics to the sink by calls that wait and by the stream: plain, with zstd and with"
				+ " a dictionary.",
		footer = { "", "Exit code: 0 done, 1 failed or not whole, 2 wrong usage." })
public final class SinkCommand extends ExperimentCommand {

	private static final int MEGABYTES = 1_000;

	private static final int QUICK_MEGABYTES = 30;

	private static final int REPETITIONS = 3;

	private static final int WARM_UP_SECONDS = 40;

	private static final int QUICK_WARM_UP_SECONDS = 1;

	@Option(names = "--quick", description = "Little data, once: shows that everything works.")
	private boolean quick;

	@Option(names = "--settings", split = ",", paramLabel = "SETTING",
			description = "What limits the transfer: storage, link, loopback. Default: all.")
	private Set<Setting> settings = EnumSet.allOf(Setting.class);

	@Option(names = "--megabytes", paramLabel = "MB",
			description = "Data of each transfer, in MB of 10^6 bytes; over the thin link a fifth. Default: "
					+ MEGABYTES + ".")
	private @Nullable Integer megabytes;

	@Option(names = "--repetitions", paramLabel = "N",
			description = "Number of times each transfer runs. Default: " + REPETITIONS + ".")
	private @Nullable Integer repetitions;

	@Mixin
	private InfrastructureOption infrastructure = new InfrastructureOption();

	@Option(names = "--train", paramLabel = "FILE",
			description = "Writes a dictionary for such metrics, for sink.stream.dictionary, and does nothing else.")
	private @Nullable Path train;

	@Override
	public Integer call() {
		if (this.train != null) {
			return train(this.train);
		}
		SinkExperiment.Settings settings = settings();
		return run(SinkExperiment.NAME, commandLine(),
				(run) -> new SinkExperiment(run, this.infrastructure.value(), settings));
	}

	private int train(Path file) {
		byte[] dictionary = SinkData.load().train(SinkExperiment.SEED);
		try {
			Files.write(file, dictionary);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The file cannot be written", ex);
		}
		stdout().println("%s: %s bytes".formatted(file, Figures.count(dictionary.length)));
		return 0;
	}

	private SinkExperiment.Settings settings() {
		int data = (this.megabytes != null) ? this.megabytes : this.quick ? QUICK_MEGABYTES : MEGABYTES;
		int times = (this.repetitions != null) ? this.repetitions : this.quick ? 1 : REPETITIONS;
		if (data < 1 || times < 1) {
			throw usage("At least 1 MB and 1 repetition are needed");
		}
		return new SinkExperiment.Settings(EnumSet.copyOf(this.settings), data, times,
				this.quick ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS);
	}

}
