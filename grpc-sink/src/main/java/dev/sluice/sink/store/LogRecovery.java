package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.sink.segment.Disk;
import dev.sluice.sink.segment.SegmentFormat.Kind;
import dev.sluice.sink.segment.SegmentHeader;
import dev.sluice.sink.segment.SegmentReader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what a log holds that may have been left by a crash or damaged. Reads only
 * the newest segments, until it has enough ids. Confined to one thread. Memory: so many
 * ids, and those of the last batch.
 */
final class LogRecovery {

	private static final Logger logger = LoggerFactory.getLogger(LogRecovery.class);

	private final Disk disk;

	private final int maxIds;

	private final List<String> damages = new ArrayList<>();

	private final Deque<ByteString> ids = new ArrayDeque<>();

	/**
	 * The number of the first record of the segment that was read last, if it has one.
	 */
	private @Nullable Long newerBegins;

	/**
	 * What was found.
	 *
	 * @param ids the last ones stored, the newest last
	 * @param damages records that were acknowledged and are lost, in words
	 * @param last the newest segment, if there is any
	 * @param nextNumber the number of the next record
	 * @param nextSegment the number of the next segment
	 * @param begun a file without records that was being made, to be made again
	 */
	record Recovered(List<ByteString> ids, List<String> damages, @Nullable Segment last, long nextNumber,
			int nextSegment, @Nullable LogFile begun) {
	}

	/**
	 * A segment that can be written on.
	 *
	 * @param file of it
	 * @param salt of it
	 * @param end of its last record; what is behind was never acknowledged
	 */
	record Segment(Path file, long salt, long end) {
	}

	/** What one segment holds. */
	private record Scan(@Nullable SegmentHeader header, long nextNumber, long end, boolean ended,
			Deque<ByteString> ids) {
	}

	private LogRecovery(Disk disk, int maxIds) {
		this.disk = disk;
		this.maxIds = maxIds;
	}

	/**
	 * Reads a log, forces what it has read, and changes nothing.
	 * @param directory of the log
	 * @param disk opens its files
	 * @param maxIds to be found
	 * @throws IOException if it cannot be read
	 */
	static Recovered recover(Path directory, Disk disk, int maxIds) throws IOException {
		return new LogRecovery(disk, maxIds).recover(LogFile.list(directory));
	}

	private Recovered recover(List<LogFile> segments) throws IOException {
		Segment last = null;
		LogFile begun = null;
		Long nextNumber = null;
		int nextSegment = segments.isEmpty() ? 0 : segments.getLast().number() + 1;
		for (int i = segments.size() - 1; i >= 0 && (nextNumber == null || this.ids.size() < this.maxIds); i--) {
			LogFile file = segments.get(i);
			boolean isLast = i == segments.size() - 1;
			Scan scan = scan(file, isLast);
			SegmentHeader header = scan.header();
			if (header == null && isLast && scan.end() == 0) {
				// It was being made, and is made again.
				nextSegment = file.number();
				begun = file;
				continue;
			}
			if (header != null) {
				if (nextNumber == null) {
					nextNumber = scan.nextNumber();
					if (scan.ended()) {
						this.damages.add("no segment behind %s, which says that there is one".formatted(file.name()));
					}
				}
				if (isLast && !scan.ended()) {
					last = new Segment(file.path(), header.salt(), scan.end());
				}
				if (this.newerBegins != null && this.newerBegins != scan.nextNumber()) {
					this.damages.add("%s ends before record %d, and the next segment begins with record %d"
						.formatted(file.name(), scan.nextNumber(), this.newerBegins));
				}
				this.newerBegins = header.firstNumber();
			}
			while (!scan.ids().isEmpty() && this.ids.size() < this.maxIds) {
				this.ids.addFirst(scan.ids().removeLast());
			}
		}
		missing(segments);
		return new Recovered(List.copyOf(this.ids), List.copyOf(this.damages), last,
				(nextNumber != null) ? nextNumber : 0, nextSegment, begun);
	}

	private void missing(List<LogFile> segments) {
		for (int i = 1; i < segments.size(); i++) {
			LogFile before = segments.get(i - 1);
			LogFile after = segments.get(i);
			if (after.number() == before.number()) {
				this.damages.add("two files of one segment, %s and %s".formatted(before.name(), after.name()));
			}
			else if (after.number() != before.number() + 1) {
				this.damages.add("no segment between %s and %s".formatted(before.name(), after.name()));
			}
		}
	}

	/**
	 * In the last segment, a hole without a batch behind it is the end: it and all behind
	 * it are of the last batch, which was not forced.
	 */
	private Scan scan(LogFile file, boolean isLast) throws IOException {
		try (FileChannel channel = this.disk.open(file.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			// What is acknowledged as a repeat must be as durable as at the first time.
			channel.force(true);
			SegmentReader reader = new SegmentReader(channel);
			SegmentHeader header = reader.header();
			if (header == null && isLast && channel.size() <= SegmentHeader.BYTES) {
				return new Scan(null, 0, 0, false, new ArrayDeque<>());
			}
			if (header == null && file.header() != null) {
				logger.warn("{} has lost its header, which is in its name", file.path());
				header = file.header();
				reader = new SegmentReader(channel, header);
			}
			if (header != null) {
				return scan(file, isLast, header, reader);
			}
			this.damages.add("%s does not begin as a segment".formatted(file.name()));
			return new Scan(null, 0, channel.size(), false, new ArrayDeque<>());
		}
	}

	private Scan scan(LogFile file, boolean isLast, SegmentHeader header, SegmentReader reader) throws IOException {
		Deque<ByteString> found = new ArrayDeque<>();
		Deque<ByteString> behindHole = new ArrayDeque<>();
		long next = header.firstNumber();
		long end = SegmentHeader.BYTES;
		boolean ended = false;
		SegmentReader.@Nullable Hole hole = null;
		while (true) {
			switch (reader.next()) {
				case SegmentReader.Hole met -> hole = (hole != null) ? hole : met;
				case SegmentReader.Whole whole -> {
					if (hole != null && isLast && whole.kind() == Kind.RECORD) {
						behindHole.add(id(reader, whole));
						continue;
					}
					if (hole != null) {
						this.damages.add("%d records from number %d on, at byte %d of %s"
							.formatted(whole.number() - next - behindHole.size(), next, hole.from(), file.name()));
						hole = null;
						behindHole.forEach((one) -> add(found, one));
						behindHole.clear();
					}
					next = whole.number();
					end = whole.end();
					ended = whole.kind() == Kind.END;
					if (whole.numbered()) {
						add(found, id(reader, whole));
						next++;
					}
				}
				case SegmentReader.End atEnd -> {
					if (!isLast && (hole != null || atEnd.bytes() > 0)) {
						this.damages.add("%d bytes at the end of %s".formatted(reader.size() - end, file.name()));
					}
					return new Scan(header, next, end, ended, found);
				}
			}
		}
	}

	private void add(Deque<ByteString> found, ByteString id) {
		found.add(id);
		if (found.size() > this.maxIds) {
			found.remove();
		}
	}

	private static ByteString id(SegmentReader reader, SegmentReader.Whole whole) throws IOException {
		int length = (whole.length() > 0) ? reader.read(whole, 0, 1)[0] & 0xFF : 0;
		if (length >= whole.length()) {
			throw new IOException("Record %d is none of a log".formatted(whole.number()));
		}
		return ByteString.copyFrom(reader.read(whole, 1, length));
	}

}
