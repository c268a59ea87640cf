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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the records of a queue without writing anything. It reads only the header and the
 * last {@value SegmentFormat#RECORD_HEADER_BYTES} bytes of most segments, which give the
 * number of records. It reads from record to record in the newest segment, which lists
 * the settled records, and in segments that a process left without an end. It reads the
 * bodies of notes only. Not thread-safe.
 */
final class QueueRecovery {

	private static final Logger logger = LoggerFactory.getLogger(QueueRecovery.class);

	private final Disk disk;

	private final NumberRanges settled = new NumberRanges();

	/**
	 * The first number of a segment that notes what was settled before it. Several may
	 * start there; all but the last of these have only notes.
	 */
	private long settledKnownFrom = Long.MIN_VALUE;

	/**
	 * The result.
	 *
	 * @param segments segments with records, in order
	 * @param empty segments without records, which may note settled ones
	 * @param settled numbers that are settled, or were never assigned
	 * @param nextNumber greater than any number known to be assigned
	 */
	record Found(List<QueueSegment> segments, List<Path> empty, NumberRanges settled, long nextNumber) {
	}

	private QueueRecovery(Disk disk) {
		this.disk = disk;
	}

	static Found recover(Path directory, Disk disk) throws IOException {
		return new QueueRecovery(disk).recover(files(directory));
	}

	static List<Path> files(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.filter((file) -> QueueSegment.header(file) != null)
				.sorted(Comparator.comparing(Path::getFileName))
				.toList();
		}
	}

	private Found recover(List<Path> files) throws IOException {
		List<QueueSegment> segments = new ArrayList<>();
		List<Path> empty = new ArrayList<>();
		@Nullable QueueSegment newer = null;
		long nextNumber = 0;
		for (Path file : files.reversed()) {
			QueueSegment segment = read(file);
			boolean hasRecords = segment.end() > segment.first();
			if (hasRecords && newer != null) {
				meet(segment, newer);
			}
			nextNumber = Math.max(nextNumber, segment.end());
			if (segment.end() > segment.first()) {
				segments.addFirst(segment);
				newer = segment;
			}
			else if (!hasRecords) {
				empty.add(file);
			}
		}
		long end = 0;
		for (QueueSegment segment : segments) {
			this.settled.add(end, segment.first());
			end = segment.end();
			segment.unsettled(segment.end() - segment.first() - this.settled.count(segment.first(), segment.end()));
		}
		nextNumber = Math.max(nextNumber, this.settled.end());
		this.settled.add(end, nextNumber);
		return new Found(segments, empty, this.settled, nextNumber);
	}

	private QueueSegment read(Path file) throws IOException {
		try (FileChannel channel = this.disk.open(file, StandardOpenOption.READ)) {
			SegmentHeader header = new SegmentReader(channel).header();
			if (header == null) {
				header = Objects.requireNonNull(QueueSegment.header(file), "not a segment's name");
			}
			SegmentReader reader = new SegmentReader(channel, header);
			QueueSegment segment = new QueueSegment(file, header);
			if (header.firstNumber() >= this.settledKnownFrom || !readEnd(segment, reader)) {
				readAll(segment, reader);
			}
			return segment;
		}
	}

	/** Within a session, a segment ends where the next one begins. */
	private static void meet(QueueSegment segment, QueueSegment newer) {
		if (segment.end() > newer.first()) {
			logger
				.error("{} has messages with the numbers of those in {}, as if an old copy was restored; its messages "
						+ "from {} on are ignored", segment.file(), newer.file(), newer.first());
		}
		if (segment.end() > newer.first() || segment.header().session() == newer.header().session()) {
			segment.reaches(newer.first(), newer.first(), segment.bytes());
		}
	}

	/** Whether the file's last bytes are the segment's end. */
	private static boolean readEnd(QueueSegment segment, SegmentReader reader) throws IOException {
		reader.seek(Math.max(SegmentHeader.BYTES, reader.size() - SegmentFormat.RECORD_HEADER_BYTES));
		if (reader.skim() instanceof SegmentReader.Whole last && last.kind() == Kind.END) {
			segment.reaches(last.number(), last.number(), reader.size());
			return true;
		}
		return false;
	}

	private void readAll(QueueSegment segment, SegmentReader reader) throws IOException {
		reader.seek(SegmentHeader.BYTES);
		long promised = segment.first();
		long end = segment.first();
		long bytes = SegmentHeader.BYTES;
		while (true) {
			switch (reader.skim()) {
				case SegmentReader.Whole whole -> {
					if (whole.kind() != Kind.RECORD) {
						promised = Math.max(promised, whole.number());
					}
					if (whole.kind() == Kind.NOTE) {
						readNote(reader, whole);
					}
					end = Math.max(end, whole.numbered() ? whole.number() + 1 : whole.number());
					bytes = whole.end();
					segment.place(whole.number(), whole.from());
				}
				case SegmentReader.Hole _ -> {
					// Damage is reported when a record in it is read.
				}
				case SegmentReader.End atEnd -> {
					if (atEnd.bytes() > 0) {
						logger.warn("{} ends with {} bytes that are not a message, as after a crash, after message {}",
								segment.file(), atEnd.bytes(), end - 1);
					}
					segment.reaches(end, promised, bytes);
					return;
				}
			}
		}
	}

	private void readNote(SegmentReader reader, SegmentReader.Whole note) throws IOException {
		byte[] ranges = reader.body(note);
		if (ranges == null) {
			logger.warn("The settled messages noted before message {} cannot be read: some messages are sent again",
					note.number());
			return;
		}
		this.settled.addEncoded(ranges);
		if (note.from() == SegmentHeader.BYTES) {
			this.settledKnownFrom = note.number();
		}
	}

}
