package dev.sluice.lab.kit.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import dev.sluice.lab.kit.stack.ServiceOptions;

/**
 * The flight recordings of a run's measured JVMs, the one source of what a JVM's
 * collector did. A JVM leaves {@code <name>.jfr} when it exits. One that is killed or
 * runs out of memory leaves chunks in {@code <name>-unfinished}, which
 * {@code jfr assemble} reads. Thread-safe.
 */
public final class JvmRecords {

	private final Path directory;

	private final Path settings;

	/**
	 * @param directory for the recordings
	 * @throws IOException if it cannot be written
	 */
	public JvmRecords(Path directory) throws IOException {
		this.directory = directory;
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
				"-XX:FlightRecorderOptions=repository=" + unfinished(name), "-Xlog:jfr+startup=error");
	}

	/**
	 * The recording of a JVM that has ended; empty if it did not exit by itself, or never
	 * started.
	 * @throws IOException if it cannot be read
	 */
	public Optional<JfrRecording> read(String name) throws IOException {
		Path file = recording(name);
		if (!Files.exists(file) || Files.size(file) == 0) {
			return Optional.empty();
		}
		delete(unfinished(name));
		return Optional.of(JfrRecording.read(file));
	}

	/** The JVM leaves the chunks that its recording was made of. */
	private static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.exists(directory) ? Files.walk(directory) : Stream.empty()) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	private Path unfinished(String name) {
		return this.directory.resolve(name + "-unfinished");
	}

	private Path recording(String name) {
		return this.directory.resolve(name + ".jfr");
	}

}
