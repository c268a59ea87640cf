package dev.sluice.lab.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.lab.measure.JfrRecording.Pause;

/**
 * What a JVM logged of its garbage collector by {@link #jvmArg(Path)}: the second witness
 * beside its flight recorder. Serial, Parallel, G1 and ZGC are known. A line that is not
 * one of the log's, or a time that runs backwards, is an error.
 *
 * @param pauses stop-the-world pauses of the collector, but for those of a collection
 * beside the threads that the JVM's end cut short
 * @param promotions growth of the old generation in each collection, in bytes, by time
 * @param tellsPromotions whether the collector logs its old generation by size: Serial
 * and Parallel do
 */
public record GcLog(List<LoggedPause> pauses, NavigableMap<Instant, Long> promotions, boolean tellsPromotions) {

	private static final Pattern LINE = Pattern.compile("\\[([0-9T:.+-]+)]\\[(gc[a-z0-9,+ ]*)] (.*)");

	/** The end of a pause; a collector's phases within it have tags of their own. */
	private static final Pattern PAUSE = Pattern.compile("GC\\(\\d+\\) Pause .* (?<millis>[0-9]+\\.[0-9]+)ms");

	/** ZGC has no line for a whole collection that is a pause: its phases are. */
	private static final Pattern Z_PAUSE = Pattern
		.compile("GC\\((?<id>\\d+)\\) [yYoO]: Pause .* (?<millis>[0-9]+\\.[0-9]+)ms");

	/** Pauses of a collection that G1 makes beside the threads. */
	private static final Pattern CYCLE_PAUSE = Pattern.compile("GC\\((?<id>\\d+)\\) Pause (?:Remark|Cleanup) .*");

	/** The end of a collection beside the threads: of G1, and of ZGC. */
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
	 * @param pause itself
	 * @param told when the flight recorder of the same JVM tells of it: at once, or when
	 * the collection that it is part of ends
	 */
	record LoggedPause(Pause pause, Instant told) {
	}

	/**
	 * What makes a JVM write such a log. No more than is needed: it writes within its
	 * pauses, and its own clock runs meanwhile.
	 */
	public static String jvmArg(Path file) {
		return "-Xlog:gc,gc+heap,gc+phases:file=\"%s\":utctime,tags:filecount=0".formatted(file);
	}

	/**
	 * Reads a log.
	 * @throws IOException if it cannot be read or is no such log
	 */
	public static GcLog read(Path file) throws IOException {
		List<LoggedPause> pauses = new ArrayList<>();
		Map<String, List<Pause>> cycles = new HashMap<>();
		NavigableMap<Instant, Long> promotions = new TreeMap<>();
		boolean tellsPromotions = false;
		Instant last = Instant.MIN;
		try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
			int number = 0;
			for (String text = lines.readLine(); text != null; text = lines.readLine()) {
				number++;
				Matcher line = LINE.matcher(text);
				if (!line.matches()) {
					throw damaged(file, number, "is none of a GC log");
				}
				Instant time = time(line.group(1), file, number);
				if (time.isBefore(last.equals(Instant.MIN) ? last : last.minus(BACKWARDS))) {
					throw damaged(file, number, "is earlier than the one before");
				}
				last = time;
				String tags = line.group(2).trim();
				String what = line.group(3);
				Matcher pause = (tags.equals(PHASES) ? Z_PAUSE : PAUSE).matcher(what);
				Matcher cyclePause = (tags.equals(PHASES) ? Z_PAUSE : CYCLE_PAUSE).matcher(what);
				Matcher cycleEnd = CYCLE_END.matcher(what);
				if ((tags.equals(SUMMARY) || tags.equals(PHASES)) && pause.matches()) {
					Duration duration = Duration.ofNanos(Math.round(Double.parseDouble(pause.group("millis")) * 1e6));
					Pause stopped = new Pause(time.minus(duration), duration);
					if (cyclePause.matches()) {
						cycles.computeIfAbsent(cyclePause.group("id"), (_) -> new ArrayList<>()).add(stopped);
					}
					else {
						pauses.add(new LoggedPause(stopped, stopped.start()));
					}
				}
				else if (tags.equals(SUMMARY) && cycleEnd.matches()) {
					List<Pause> stopped = cycles.remove(cycleEnd.group("id"));
					if (stopped != null) {
						stopped.forEach((each) -> pauses.add(new LoggedPause(each, time)));
					}
				}
				Matcher old = OLD_GENERATION.matcher(what);
				if (old.lookingAt()) {
					tellsPromotions = true;
					long growth = (Long.parseLong(old.group(2)) - Long.parseLong(old.group(1))) * 1024;
					promotions.merge(time, Math.max(0, growth), Long::sum);
				}
			}
		}
		return new GcLog(pauses, promotions, tellsPromotions);
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
