package dev.sluice.lab.kit.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Window;
import dev.sluice.lab.kit.stack.ServiceOptions;

/**
 * The stop-the-world pauses that a JVM's collector has logged. The log can be read at any
 * time, also that of a JVM that was killed.
 *
 * @param pauses in the order of the log
 */
public record GcLog(List<Pause> pauses) {

	/**
	 * A line of a pause, written when it ends. Those of ZGC have the generation before
	 * the name.
	 */
	private static final Pattern PAUSE = Pattern
		.compile("\\[(\\d+)ms] GC\\(\\d+\\) (?:\\w: )?Pause .* (\\d+)\\.(\\d{3})ms");

	public GcLog {
		pauses = List.copyOf(pauses);
	}

	/**
	 * A pause.
	 *
	 * @param start when it began, to the millisecond
	 * @param duration how long all threads stood still
	 */
	public record Pause(Instant start, Duration duration) {

		private static Pause of(MatchResult line) {
			Duration duration = Duration.ofMillis(Long.parseLong(line.group(2)))
				.plusNanos(Long.parseLong(line.group(3)) * 1_000);
			return new Pause(Instant.ofEpochMilli(Long.parseLong(line.group(1))).minus(duration), duration);
		}

		public double millis() {
			return this.duration.toNanos() / 1e6;
		}

	}

	/** Adds the options that make a JVM write the log; ZGC's pauses are its phases. */
	public static ServiceOptions written(Path file, ServiceOptions options) {
		return options.withJvmArgs("-Xlog:gc,gc+phases:file=\"%s\":timemillis:filecount=0".formatted(file));
	}

	/**
	 * Reads a log.
	 * @throws IOException if it cannot be read
	 */
	public static GcLog read(Path file) throws IOException {
		try (Stream<String> lines = Files.lines(file)) {
			return new GcLog(lines.flatMap((line) -> PAUSE.matcher(line).results()).map(Pause::of).toList());
		}
	}

	/** The pauses that began in a window. */
	public List<Pause> in(Window window) {
		return this.pauses.stream().filter((pause) -> window.contains(pause.start())).toList();
	}

}
