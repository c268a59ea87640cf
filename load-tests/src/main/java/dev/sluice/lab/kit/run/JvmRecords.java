package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

import dev.sluice.lab.kit.jvm.GcCheck;
import dev.sluice.lab.kit.jvm.GcLog;
import dev.sluice.lab.kit.jvm.JfrRecording;
import dev.sluice.lab.kit.jvm.JfrRepository;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.stack.ServiceOptions;

/**
 * The recordings and GC logs of a run's measured JVMs. Each JVM leaves
 * {@code jfr/<name>.jfr} and {@code jfr/<name>-gc.log}, however it ends. Each recording
 * that is read is compared with the log. Not thread-safe.
 */
public final class JvmRecords {

	private final Path directory;

	private final Path settings;

	/** Checks of the recordings that were read, by name. */
	private final Map<String, GcCheck> checks = new TreeMap<>();

	/**
	 * @throws IOException if the run's directory cannot be written
	 */
	public JvmRecords(RunDirectory run) throws IOException {
		this.directory = run.directory("jfr");
		this.settings = this.directory.resolve("sluice.jfc");
		// The JVM reads its settings from a file only.
		try (InputStream in = Objects.requireNonNull(JfrRecording.class.getResourceAsStream("sluice.jfc"),
				"sluice.jfc is missing")) {
			Files.copy(in, this.settings, StandardCopyOption.REPLACE_EXISTING);
		}
	}

	/**
	 * Adds the options that make a JVM record.
	 * @param name unique in the run
	 */
	public ServiceOptions recorded(String name, ServiceOptions options) {
		return options.withJvmArgs(
				"-XX:StartFlightRecording=settings=%s,filename=%s,dumponexit=true".formatted(this.settings,
						recording(name)),
				repository(name).jvmArg(), "-Xlog:jfr+startup=error", GcLog.jvmArg(log(name)));
	}

	/**
	 * The recording of a JVM that has ended; empty if it never started. A JVM that did
	 * not exit by itself left an empty recording or none: then it is made from the data
	 * that it had flushed.
	 * @throws IOException if it cannot be read
	 */
	public Optional<JfrRecording> read(String name) throws IOException {
		Path file = recording(name);
		JfrRepository repository = repository(name);
		boolean exists = Files.exists(file) && Files.size(file) > 0;
		if (!exists && !repository.assemble(file)) {
			return Optional.empty();
		}
		repository.remove();
		JfrRecording recording = JfrRecording.read(file);
		GcLog log = GcLog.read(log(name));
		this.checks.put(name, GcCheck.of(recording, log));
		return Optional.of(recording.completedBy(log));
	}

	/** Whether recordings and logs agree, for all JVMs that were read. */
	public Check check() {
		GcCheck all = this.checks.values().stream().reduce(new GcCheck(0, 0, 0, 0), GcCheck::plus);
		String disagree = String.join(", ",
				this.checks.entrySet()
					.stream()
					.filter((entry) -> !entry.getValue().holds())
					.map((entry) -> "%s (%s)".formatted(entry.getKey(), text(entry.getValue())))
					.toList());
		String detail = "%d JVMs: %s".formatted(this.checks.size(), text(all));
		return new Check("GC pauses of the flight recorder and of the GC log: number and sum within 1 %",
				disagree.isEmpty(), disagree.isEmpty() ? detail : detail + "; not of " + disagree);
	}

	private static String text(GcCheck check) {
		return "%,d and %,d pauses, %,.1f and %,.1f ms".formatted(check.recorded(), check.logged(),
				check.recordedMillis(), check.loggedMillis());
	}

	private Path recording(String name) {
		return this.directory.resolve(name + ".jfr");
	}

	private JfrRepository repository(String name) {
		return new JfrRepository(this.directory.resolve(name + "-unfinished"));
	}

	private Path log(String name) {
		return this.directory.resolve(name + "-gc.log");
	}

}
