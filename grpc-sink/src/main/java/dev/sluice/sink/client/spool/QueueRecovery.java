package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sluice.sink.client.spool.SegmentFormat.Kind;
import dev.sluice.sink.format.NumberRanges;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the records of a queue without writing anything. Within a session a segment ends
 * where the next one begins, so most files are not read. It reads from record to record
 * in the newest segment, which lists the settled records, and in the last one of each
 * other session. It reads no body of a message. Not thread-safe.
 */
final class QueueRecovery {

	private static final Logger logger = LoggerFactory.getLogger(QueueRecovery.class);

	private final Disk disk;

	private final NumberRanges settled = new NumberRanges();

	/** Whether a segment was read that lists all that was settled before it. */
	private boolean settledKnown;

	/**
	 * The result.
	 *
	 * @param segments segments with records, in order
	 * @param empty segments without records, which may list settled ones
	 * @param settled numbers that are settled, or were never assigned
	 * @param nextNumber greater than any number known to be assigned
	 */
	record Found(List<Segment> segments, List<Path> empty, NumberRanges settled, long nextNumber) {
	}

	private QueueRecovery(Disk disk) {
		this.disk = disk;
	}

	static Found recover(Path directory, Disk disk) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return new QueueRecovery(disk).recover(files.sorted(Comparator.comparing(Path::getFileName))
				.map(Segment::named)
				.filter(Objects::nonNull)
				.toList());
		}
	}

	private Found recover(List<Segment> all) throws IOException {
		List<Segment> segments = new ArrayList<>();
		List<Path> empty = new ArrayList<>();
		@Nullable Segment newer = null;
		long nextNumber = 0;
		for (Segment segment : all.reversed()) {
			// Of several that begin with one number, at most one has records.
			if (this.settledKnown && newer != null && newer.session == segment.session
					&& all.stream().filter((other) -> other.first == segment.first).count() == 1) {
				segment.reaches(newer.first, newer.first, Files.size(segment.file));
			}
			else {
				read(segment);
			}
			nextNumber = Math.max(nextNumber, segment.end());
			if (!segment.hasRecords()) {
				empty.add(segment.file);
				continue;
			}
			if (newer != null) {
				meet(segment, newer);
			}
			if (segment.hasRecords()) {
				segments.addFirst(segment);
				newer = segment;
			}
		}
		long end = 0;
		for (Segment segment : segments) {
			this.settled.add(end, segment.first);
			end = segment.end();
			segment.addUnsettled(end - segment.first - this.settled.count(segment.first, end));
		}
		nextNumber = Math.max(nextNumber, this.settled.end());
		this.settled.add(end, nextNumber);
		return new Found(segments, empty, this.settled, nextNumber);
	}

	private void read(Segment segment) throws IOException {
		try (FileChannel channel = this.disk.open(segment.file, StandardOpenOption.READ)) {
			read(segment, new SegmentReader(channel, segment.salt));
		}
	}

	private static void meet(Segment segment, Segment newer) {
		if (segment.end() > newer.first) {
			logger
				.error("{} has messages with the numbers of those in {}, as if an old copy was restored; its messages "
						+ "from {} on are ignored", segment.file, newer.file, newer.first);
		}
		if (segment.end() > newer.first || segment.session == newer.session) {
			segment.reaches(newer.first, newer.first, segment.bytes());
		}
	}

	/** Damage is reported when a record in it is read. */
	private void read(Segment segment, SegmentReader reader) throws IOException {
		long promised = segment.first;
		long end = segment.first;
		long bytes = 0;
		SegmentReader.Whole whole = reader.skim();
		while (whole != null) {
			if (whole.kind() != Kind.RECORD) {
				promised = Math.max(promised, whole.number());
			}
			if (whole.kind() == Kind.SETTLED) {
				readSettled(reader, whole);
			}
			end = Math.max(end, whole.numbered() ? whole.number() + 1 : whole.number());
			bytes = whole.end();
			whole = reader.skim();
		}
		if (reader.size() > reader.position()) {
			logger.warn("{} ends with {} bytes that are not a message, as after a crash, after message {}",
					segment.file, reader.size() - reader.position(), end - 1);
		}
		segment.reaches(end, promised, bytes);
	}

	private void readSettled(SegmentReader reader, SegmentReader.Whole record) throws IOException {
		byte[] ranges = reader.body(record);
		if (ranges == null) {
			logger.warn("The settled messages listed before message {} cannot be read: some messages are sent again",
					record.number());
			return;
		}
		this.settled.addEncoded(ranges);
		this.settledKnown |= record.from() == 0;
	}

}
