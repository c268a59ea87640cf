package dev.sluice.lab.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.result.SinkResult.Transfer;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code lab sink}: moves the same data to the same storage, by calls that wait for each
 * answer and by the stream, with the storage, a thin link or only the machine as the
 * bottleneck. Each transfer has its own client process and ends when the last message is
 * stored and acknowledged. The repetitions of the modes are interleaved.
 */
@Command(name = "sink",
		description = "Sends the same metrics to the sink by calls that wait and by the stream: plain, with zstd and with"
				+ " a dictionary.",
		footer = { "", "Exit code: 0 done, 1 failed or not whole, 2 wrong usage." })
public final class SinkExperiment extends Experiment {

	private static final int MEGABYTES = 1_000;

	private static final int QUICK_MEGABYTES = 30;

	private static final int REPETITIONS = 3;

	private static final int WARM_UP_SECONDS = 40;

	private static final int QUICK_WARM_UP_SECONDS = 1;

	/**
	 * The storage's delay in the setting in which it binds: with messages of 17.3 kB, 54
	 * connections that wait then reach the reference's 49 Mbit/s, 7 GB in 1,140 s.
	 */
	private static final Duration STORE_DELAY = Duration.ofMillis(152);

	private static final long LINK_BITS_PER_SECOND = 40_000_000;

	private static final List<String> CLIENT_JVM_ARGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC",
			"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

	/** Of the data, the same each time. */
	static final long SEED = 2;

	private static final long MEGABYTE = 1_000_000;

	/** Time limit of a transfer, plus a second for each MB. */
	private static final Duration DEADLINE = Duration.ofMinutes(30);

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

	@Option(names = "--train", paramLabel = "FILE",
			description = "Writes a dictionary for such metrics, for sink.stream.dictionary, and does nothing else.")
	private @Nullable Path train;

	private final List<Transfer> transfers = new ArrayList<>();

	/** Made once, as that takes some seconds of CPU; null before. */
	private byte @Nullable [] dictionary;

	@Override
	public Integer call() {
		return (this.train != null) ? train(this.train) : super.call();
	}

	private int train(Path file) {
		byte[] dictionary = SinkData.load().train(SEED);
		try {
			Files.write(file, dictionary);
		}
		catch (IOException ex) {
			throw RunDirectory.failure("The file cannot be written", ex);
		}
		stdout().println("%s: %s bytes".formatted(file, Figures.count(dictionary.length)));
		return 0;
	}

	@Override
	protected void check() {
		require(megabytes() >= 1 && repetitions() >= 1, "At least 1 MB and 1 repetition are needed");
	}

	private int megabytes() {
		return (this.megabytes != null) ? this.megabytes : this.quick ? QUICK_MEGABYTES : MEGABYTES;
	}

	private int repetitions() {
		return (this.repetitions != null) ? this.repetitions : this.quick ? 1 : REPETITIONS;
	}

	/** The modes of a setting; the first is the baseline of the others. */
	private static List<Mode> modes(Setting setting) {
		return switch (setting) {
			case STORAGE, LINK -> List.of(Mode.STOP_AND_WAIT, Mode.STREAM, Mode.STREAM_ZSTD, Mode.STREAM_DICTIONARY);
			case LOOPBACK -> List.of(Mode.KAFKA, Mode.STREAM, Mode.STREAM_ZSTD, Mode.STREAM_SPOOL);
		};
	}

	/** Longest over loopback, where CPU binds and a JVM that compiles uses most of it. */
	private int warmUpSeconds(Setting setting) {
		int seconds = this.quick ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS;
		return (setting == Setting.LOOPBACK) ? seconds : seconds / 4;
	}

	private long bytes(Setting setting) {
		return MEGABYTE * ((setting == Setting.LINK) ? Math.max(1, megabytes() / 5) : megabytes());
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		try (Stack stack = stack()) {
			for (int repetition = 1; repetition <= repetitions(); repetition++) {
				for (Setting setting : EnumSet.copyOf(this.settings)) {
					run(stack, setting, repetition);
				}
			}
		}
	}

	@Override
	protected Finding finding() {
		return new SinkResult(megabytes(), STORE_DELAY.toMillis(), this.transfers);
	}

	private void run(Stack stack, Setting setting, int repetition) throws IOException, InterruptedException {
		progress().step("%s, repetition %s: starting the sink".formatted(setting.words(), repetition));
		stack.infrastructure().kafka();
		try (ThinLink link = setting == Setting.LINK ? new ThinLink(LINK_BITS_PER_SECOND, port(stack.sinkTarget()))
				: null; Service sink = stack.startSink(sinkOptions(setting))) {
			String target = (link != null) ? link.target() : stack.sinkTarget();
			for (Mode mode : modes(setting)) {
				Transfer transfer = (mode == Mode.KAFKA)
						? transfer(null, setting, mode, repetition, stack.infrastructure().kafka().bootstrapServers())
						: transfer(sink.process().handle(), setting, mode, repetition, target);
				this.transfers.add(transfer);
				progress().step(String.format(Locale.ROOT, "%s: %.1f MB/s, %,.0f messages/s, %.2f s for %s MB",
						mode.words(), transfer.megabytesPerSecond(), transfer.messagesPerSecond(), transfer.seconds(),
						transfer.bytes() / MEGABYTE));
			}
		}
	}

	private static int port(String target) {
		return Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
	}

	private ServiceOptions sinkOptions(Setting setting) throws IOException {
		ServiceOptions options = ServiceOptions.NONE.withJvmArgs("--enable-native-access=ALL-UNNAMED")
			.withLog("sink-" + setting.name().toLowerCase(Locale.ROOT));
		if (setting == Setting.LOOPBACK) {
			return options;
		}
		if (this.dictionary == null) {
			this.dictionary = SinkData.load().train(SEED);
		}
		Path file = Files.write(directory().path().resolve("%s.zdict".formatted(setting)), this.dictionary);
		ServiceOptions withDictionary = options.withProperty("sink.stream.dictionary", file);
		return setting == Setting.LINK ? withDictionary
				: withDictionary.withProperty("sink.store.delay", STORE_DELAY.toMillis() + "ms");
	}

	private Transfer transfer(@Nullable ProcessHandle sink, Setting setting, Mode mode, int repetition, String target)
			throws IOException, InterruptedException {
		long bytes = bytes(setting);
		Path spool = directory().directory("spool");
		SinkSender.Job job = new SinkSender.Job(setting, mode, repetition, target, bytes, warmUpSeconds(setting),
				(sink != null) ? sink.pid() : 0, spool.toString());
		Path out = directory().path().resolve("report.json");
		Files.deleteIfExists(out);
		progress().during("%s: %s".formatted(setting.words(), mode.words()));
		JavaProcess sender = JavaProcess.mainClass(SinkSender.class.getName())
			.jvmArgs(CLIENT_JVM_ARGS)
			.jvmArgs("-Dlogback.configurationFile=lab-logback.xml", Patience.jvmArg())
			.args(JsonMapper.shared().writeValueAsString(job), out.toString())
			.logFile(directory().directory("logs").resolve("client-%s-%s-%s.log".formatted(setting, mode, repetition)));
		try (JavaProcess client = sender.launch()) {
			await(client, sink, Patience.of(DEADLINE.plusSeconds(bytes / MEGABYTE)));
			if (!Files.exists(out)) {
				throw new LabException("The client of %s, %s failed; its log %s ends with:%n%s"
					.formatted(setting.words(), mode.words(), client.logFile(), client.tail()));
			}
		}
		Transfer transfer = JsonMapper.shared().readValue(Files.readAllBytes(out), Transfer.class);
		Files.delete(out);
		delete(spool);
		return transfer;
	}

	/**
	 * Waits until the client has ended. A client of a sink that has died would retry
	 * forever.
	 * @param sink the sink's process; null if the client needs none
	 * @throws LabException if the sink ends first, or at the timeout
	 */
	static void await(JavaProcess client, @Nullable ProcessHandle sink, Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (client.isAlive()) {
			if (sink != null && !sink.isAlive()) {
				throw new LabException("The sink has ended during a transfer; see its log next to " + client.logFile());
			}
			if (System.nanoTime() - deadline > 0) {
				throw new LabException("A transfer was not over after %s min; the log of its client: %s"
					.formatted(timeout.toMinutes(), client.logFile()));
			}
			TimeUnit.MILLISECONDS.sleep(20);
		}
	}

	private static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

}
