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
 * A segment's file. Its name has the number of the segment and a copy of the header, so
 * that a file whose first block is lost loses only the records in that block. Files of
 * earlier versions have only the number.
 *
 * @param path path of the file
 * @param number number of the segment, from 0
 * @param header header in the name; null for a file of an earlier version
 */
public record LogFile(Path path, int number, @Nullable SegmentHeader header) {

	private static final Pattern NAME = Pattern.compile("(\\d{10})(?:-(.+))?\\.log");

	/** Returns the file for a segment. */
	public static LogFile of(Path directory, int number, SegmentHeader header) {
		return new LogFile(directory.resolve("%010d-%s.log".formatted(number, header.name())), number, header);
	}

	/** Lists the segments of a log in order. */
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

	/** The file's name, for messages. */
	public String name() {
		return this.path.getFileName().toString();
	}

}
