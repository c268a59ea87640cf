package dev.sluice.lab.kit.jvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.jvm.JfrRecording.Pause;

/**
 * A JVM's GC log, written with {@link #jvmArg(Path)}: a second source to check the flight
 * recorder against. Reads the logs of Serial, Parallel, G1 and ZGC. An unknown line, or a
 * time that runs backwards, is an error.
 *
 * @param pauses stop-the-world pauses of the collector, without those of a concurrent
 * collection that the JVM's exit cut short
 * @param promotions growth of the old generation in each collection, in bytes, by time
 * @param logsPromotions whether the collector logs the size of its old generation: Serial
 * and Parallel do
 */
public record GcLog(List<LoggedPause> pauses, NavigableMap<Instant, Long> promotions, boolean logsPromotions) {

	private static final Pattern LINE = Pattern.compile("\\[([0-9T:.+-]+)]\\[(gc[a-z0-9,+ ]*)] (.*)");

	/**
	 * The end of a pause. Pauses of a concurrent collection are G1's remark and cleanup,
	 * and all of ZGC's, which name their generation and are logged as phases.
	 */
	private static final Pattern PAUSE = Pattern.compile(
			"GC\\((?<id>\\d+)\\) (?<generation>[yYoO]: )?Pause (?<concurrent>Remark|Cleanup)?.* (?<millis>[0-9]+\\.[0-9]+)ms");

	/** The end of a concurrent collection of G1 or ZGC. */
	private static final Pattern CYCLE_END = Pattern
		.compile("GC\\((?<id>\\d+)\\) (?:Concurrent \\w+ Cycle|(?:Minor|Major) Collection) .*[0-9]m?s");

	private static final Pattern OLD_GENERATION = Pattern
		.compile("GC\\(\\d+\\) (?:Tenured|ParOldGen): (\\d+)K\\(\\d+K\\)->(\\d+)K\\(\\d+K\\)");

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSZ");

	private static final String SUMMARY = "gc";

	private static final String PHASES = "gc,phases";

	/** The clock of the machine may be set back a little while the JVM runs. */
	private static final Duration BACKWARDS = Duration.ofSeconds(1);

	public GcLog {
		pauses = List.copyOf(pauses);
	}

	/**
	 * A pause.
	 *
	 * @param pause the pause
	 * @param reportedAt when the flight recorder of the same JVM reports it: at once, or
	 * when the concurrent collection that it is part of ends
	 */
	record LoggedPause(Pause pause, Instant reportedAt) {
	}

	/**
	 * The JVM option that writes such a log. It logs no more than is needed, because the
	 * JVM writes within its pauses, and the logged durations include that time.
	 */
	public static String jvmArg(Path file) {
		return "-Xlog:gc,gc+heap,gc+phases:file=\"%s\":utctime,tags:filecount=0".formatted(file);
	}

	/**
	 * Reads a log.
	 * @throws IOException if it cannot be read or is not such a log
	 */
	public static GcLog read(Path file) throws IOException {
		Content content = new Content();
		Instant last = Instant.MIN;
		try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
			int number = 0;
			for (String text = lines.readLine(); text != null; text = lines.readLine()) {
				number++;
				Matcher line = LINE.matcher(text);
				if (!line.matches()) {
					throw damaged(file, number, "is not a line of a GC log");
				}
				Instant time = time(line.group(1), file, number);
				if (time.isBefore(last.equals(Instant.MIN) ? last : last.minus(BACKWARDS))) {
					throw damaged(file, number, "is earlier than the one before");
				}
				last = time;
				content.add(time, line.group(2).trim(), line.group(3));
			}
		}
		return new GcLog(content.pauses, content.promotions, content.logsPromotions);
	}

	/** Collects pauses and promotions from the lines. */
	private static final class Content {

		private final List<LoggedPause> pauses = new ArrayList<>();

		/** Pauses of concurrent collections that have not ended, by collection id. */
		private final Map<String, List<Pause>> cycles = new HashMap<>();

		private final NavigableMap<Instant, Long> promotions = new TreeMap<>();

		private boolean logsPromotions;

		void add(Instant time, String tags, String what) {
			switch (tags) {
				case SUMMARY -> {
					pause(time, what, false);
					cycleEnd(time, what);
				}
				case PHASES -> pause(time, what, true);
				default -> promotion(time, what);
			}
		}

		private void pause(Instant time, String what, boolean isPhase) {
			Matcher pause = PAUSE.matcher(what);
			if (!pause.matches() || isPhase != (pause.group("generation") != null)) {
				return;
			}
			Duration duration = Duration.ofNanos(Math.round(Double.parseDouble(pause.group("millis")) * 1e6));
			Pause stopped = new Pause(time.minus(duration), duration);
			if (isPhase || pause.group("concurrent") != null) {
				this.cycles.computeIfAbsent(pause.group("id"), (_) -> new ArrayList<>()).add(stopped);
			}
			else {
				this.pauses.add(new LoggedPause(stopped, stopped.start()));
			}
		}

		private void cycleEnd(Instant time, String what) {
			Matcher end = CYCLE_END.matcher(what);
			if (end.matches()) {
				List<Pause> stopped = this.cycles.remove(end.group("id"));
				Objects.requireNonNullElse(stopped, List.<Pause>of())
					.forEach((pause) -> this.pauses.add(new LoggedPause(pause, time)));
			}
		}

		private void promotion(Instant time, String what) {
			Matcher old = OLD_GENERATION.matcher(what);
			if (old.lookingAt()) {
				this.logsPromotions = true;
				long growth = (Long.parseLong(old.group(2)) - Long.parseLong(old.group(1))) * 1024;
				this.promotions.merge(time, Math.max(0, growth), Long::sum);
			}
		}

	}

	private static Instant time(String text, Path file, int number) throws IOException {
		try {
			return OffsetDateTime.parse(text, TIME).toInstant();
		}
		catch (DateTimeParseException _) {
			throw damaged(file, number, "has no time");
		}
	}

	private static IOException damaged(Path file, int number, String what) {
		return new IOException("%s is damaged: line %d %s".formatted(file, number, what));
	}

}
