package dev.sluice.sink.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.sluice.sink.segment.SegmentHeader;
import org.jspecify.annotations.Nullable;

/**
 * A segment's file: the number of the segment, and its header once more, so that a file
 * that has lost its first block loses only the records in it. Files of earlier versions
 * have the number alone.
 *
 * @param path of the file
 * @param number of the segment, from 0
 * @param header as the name has it; null in a name of an earlier version
 */
public record LogFile(Path path, int number, @Nullable SegmentHeader header) {

	private static final Pattern NAME = Pattern.compile("(\\d{10})(?:-(.+))?\\.log");

	/** Names a file. */
	public static LogFile of(Path directory, int number, SegmentHeader header) {
		return new LogFile(directory.resolve("%010d-%s.log".formatted(number, header.name())), number, header);
	}

	/** The segments of a log, in their order. */
	public static List<LogFile> list(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.map(LogFile::parse)
				.filter(Objects::nonNull)
				.sorted(Comparator.comparingInt(LogFile::number).thenComparing(LogFile::path))
				.toList();
		}
	}

	private static @Nullable LogFile parse(Path file) {
		Matcher name = NAME.matcher(file.getFileName().toString());
		if (!name.matches()) {
			return null;
		}
		String header = name.group(2);
		return new LogFile(file, Integer.parseInt(name.group(1)),
				(header != null) ? SegmentHeader.named(header) : null);
	}

	/** For messages. */
	public String name() {
		return this.path.getFileName().toString();
	}

}
