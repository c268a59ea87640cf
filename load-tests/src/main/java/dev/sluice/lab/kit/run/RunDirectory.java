package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Objects;

import dev.sluice.devservices.StartFailedException;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a run, with {@value RunFile#NAME} and the raw files.
 *
 * @param path its path, which exists
 */
public record RunDirectory(Path path) {

	private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT)
		.withZone(ZoneOffset.UTC);

	private static final String INTERRUPTED = "interrupted";

	/**
	 * Creates a directory for a run.
	 * @param chosen the directory, or null for one below {@code results} named after the
	 * experiment and the time
	 * @throws LabException if it cannot be created
	 */
	public static RunDirectory create(@Nullable Path chosen, String experiment, Instant now) {
		Path path = (chosen != null) ? chosen : Path.of("results", experiment + "-" + TIMESTAMP.format(now));
		path = path.toAbsolutePath().normalize();
		try {
			if (Files.exists(path.resolve(RunFile.NAME))) {
				throw new LabException(path + " holds the results of another run: choose another directory");
			}
			Files.createDirectories(path);
			return new RunDirectory(path);
		}
		catch (IOException ex) {
			throw failure("Cannot create " + path, ex);
		}
	}

	/** A directory in it, created if missing. */
	public Path directory(String name) throws IOException {
		return Files.createDirectories(this.path.resolve(name));
	}

	/**
	 * Keeps a copy of the scenario that the run reads, so that another run can repeat it.
	 */
	public void keepScenario(Path file) throws IOException {
		Path copy = directory("scenario").resolve(Objects.requireNonNull(file.getFileName()));
		if (!Files.exists(copy) || !Files.isSameFile(file, copy)) {
			Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
		}
	}

	/** Why a run that ended this way is partial; null if it is not expected to. */
	static @Nullable String whyPartial(Throwable ending, Interruption interruption) {
		if (interruption.isRequested()) {
			return INTERRUPTED;
		}
		return switch (ending) {
			case InterruptedException _, InterruptException _, ClosedByInterruptException _ -> INTERRUPTED;
			// Its message alone often says nothing.
			case KafkaException ex -> ex.toString();
			case IOException ex -> String.valueOf(failure("The run cannot go on", ex).getMessage());
			case LabException _, StartFailedException _ -> String.valueOf(ending.getMessage());
			default -> null;
		};
	}

	/** An exception with one clear line for a failure with files. */
	public static LabException failure(String what, IOException cause) {
		String message = String.valueOf(cause.getMessage());
		if (message.contains("No space left on device")) {
			return new LabException(what + ": the disk is full; make room and run again", cause);
		}
		if (cause instanceof AccessDeniedException) {
			return new LabException(what + ": no permission; choose another directory with --out", cause);
		}
		if (cause instanceof FileSystemException fileSystem && fileSystem.getReason() != null) {
			return new LabException("%s: %s".formatted(what, fileSystem.getReason()), cause);
		}
		return new LabException("%s: %s".formatted(what, cause), cause);
	}

}
