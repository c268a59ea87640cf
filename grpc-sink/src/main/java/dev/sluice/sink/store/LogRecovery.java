package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import dev.sluice.sink.format.LogFile;
import dev.sluice.sink.format.LogRecord;
import dev.sluice.sink.segment.Disk;
import dev.sluice.sink.segment.SegmentFormat.Kind;
import dev.sluice.sink.segment.SegmentHeader;
import dev.sluice.sink.segment.SegmentReader;
import dev.sluice.sink.sequence.KnownSessions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a log that may have been left by a crash or damaged. It reads only the newest
 * segments, until it has enough ids and the sessions, which are noted at the beginning of
 * each segment with records. Not thread-safe. Memory: {@code maxIds} ids, those of the
 * last batch, and the sessions.
 */
final class LogRecovery {

	private static final Logger logger = LoggerFactory.getLogger(LogRecovery.class);

	private final Disk disk;

	private final int maxIds;

	private final KnownSessions sessions;

	/** Whether a segment that notes all sessions was read. */
	private boolean sessionsFound;

	private final List<String> damages = new ArrayList<>();

	/** The last messages. One that is known by its place counts, but has no name. */
	private final Deque<Stored> names = new ArrayDeque<>();

	/**
	 * The number of the first record of the segment read last; null if that is not known.
	 */
	private @Nullable Long newerBegins;

	/**
	 * A stored message.
	 *
	 * @param name null for a message that is known by its place
	 */
	record Stored(RecentIds.@Nullable Name name, int checksum) {

		static Stored of(LogRecord record) {
			return new Stored((record.session() != null) ? null : RecentIds.Name.of(record.client(), record.id()),
					record.checksum());
		}

	}

	/**
	 * The result.
	 *
	 * @param names names of the last messages stored, the newest last
	 * @param damages descriptions of acknowledged records that are lost
	 * @param last the newest segment, if it can be continued
	 * @param nextNumber the number of the next record
	 * @param nextSegment the number of the next segment
	 * @param begun an incomplete file without records, which is to be created again
	 */
	record Recovered(List<Stored> names, List<String> damages, @Nullable Segment last, long nextNumber, int nextSegment,
			@Nullable LogFile begun) {
	}

	/**
	 * A segment that can be continued.
	 *
	 * @param file its file
	 * @param salt its salt
	 * @param end end of its last record; bytes after it were never acknowledged
	 * @param lacksSessions whether the sessions must still be noted before its first
	 * record
	 */
	record Segment(Path file, long salt, long end, boolean lacksSessions) {
	}

	/** The result of reading one segment. */
	private record Scan(@Nullable SegmentHeader header, long nextNumber, long end, boolean ended, boolean hasSessions,
			Deque<Stored> names) {

		static Scan nothing(long end) {
			return new Scan(null, 0, end, false, false, new ArrayDeque<>());
		}

	}

	private LogRecovery(Disk disk, int maxIds, KnownSessions sessions) {
		this.disk = disk;
		this.maxIds = maxIds;
		this.sessions = sessions;
	}

	/**
	 * Reads a log and forces what it has read. Changes nothing.
	 * @param directory directory of the log
	 * @param disk opens its files
	 * @param maxIds number of ids to find
	 * @param sessions receives the sessions
	 * @throws IOException if the log cannot be read
	 */
	static Recovered recover(Path directory, Disk disk, int maxIds, KnownSessions sessions) throws IOException {
		return new LogRecovery(disk, maxIds, sessions).recover(LogFile.list(directory));
	}

	private Recovered recover(List<LogFile> segments) throws IOException {
		Segment last = null;
		LogFile begun = null;
		Long nextNumber = null;
		int nextSegment = segments.isEmpty() ? 0 : segments.getLast().number() + 1;
		for (int i = segments.size() - 1; i >= 0
				&& (nextNumber == null || !this.sessionsFound || this.names.size() < this.maxIds); i--) {
			LogFile file = segments.get(i);
			boolean isLast = i == segments.size() - 1;
			Scan scan = scan(file, isLast);
			SegmentHeader header = scan.header();
			if (header == null && isLast && scan.end() == 0) {
				// It was being created, and is created again.
				nextSegment = file.number();
				begun = file;
				continue;
			}
			if (header != null) {
				if (nextNumber == null) {
					nextNumber = scan.nextNumber();
					if (scan.ended()) {
						this.damages.add("no segment after %s, which says that there is one".formatted(file.name()));
					}
				}
				if (isLast && !scan.ended()) {
					last = new Segment(file.path(), header.salt(), scan.end(), !scan.hasSessions());
				}
				if (this.newerBegins != null && this.newerBegins != scan.nextNumber()) {
					this.damages.add("%s ends before record %d, but the next segment begins with record %d"
						.formatted(file.name(), scan.nextNumber(), this.newerBegins));
				}
				this.newerBegins = header.firstNumber();
			}
			while (!scan.names().isEmpty() && this.names.size() < this.maxIds) {
				this.names.addFirst(scan.names().removeLast());
			}
		}
		missing(segments);
		this.names.removeIf((stored) -> stored.name() == null);
		return new Recovered(List.copyOf(this.names), List.copyOf(this.damages), last,
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
	 * In the last segment, a hole without a batch after it is the end: the hole and the
	 * records after it belong to the last batch, which was not forced.
	 */
	private Scan scan(LogFile file, boolean isLast) throws IOException {
		try (FileChannel channel = this.disk.open(file.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			// A message acknowledged as a repeat must be as durable as one newly stored.
			channel.force(true);
			SegmentReader reader = new SegmentReader(channel);
			SegmentHeader header = reader.header();
			if (header == null && isLast && channel.size() <= SegmentHeader.BYTES) {
				return Scan.nothing(0);
			}
			if (header == null && file.header() != null) {
				logger.warn("{} has lost its header; the copy in its name is used", file.path());
				header = file.header();
				reader = new SegmentReader(channel, header);
			}
			if (header != null) {
				return scan(file, isLast, header, reader);
			}
			this.damages.add("%s does not begin with a segment's header".formatted(file.name()));
			return Scan.nothing(channel.size());
		}
	}

	private Scan scan(LogFile file, boolean isLast, SegmentHeader header, SegmentReader reader) throws IOException {
		boolean wantsSessions = !this.sessionsFound;
		Deque<Stored> found = new ArrayDeque<>();
		Deque<LogRecord> behindHole = new ArrayDeque<>();
		long next = header.firstNumber();
		long end = SegmentHeader.BYTES;
		boolean ended = false;
		boolean hasSessions = false;
		SegmentReader.@Nullable Hole hole = null;
		while (true) {
			switch (reader.next()) {
				case SegmentReader.Hole met -> hole = (hole != null) ? hole : met;
				case SegmentReader.Whole whole -> {
					if (hole != null && isLast && whole.kind() == Kind.RECORD) {
						behindHole.add(LogRecord.read(reader, whole));
						continue;
					}
					if (hole != null && isLast && whole.kind() == Kind.NOTE) {
						// The segment was being created.
						continue;
					}
					if (hole != null) {
						long lost = Math.max(0, whole.number() - next - behindHole.size());
						this.damages.add(((lost > 0) ? "%d records from number %d on, at byte %d of %s"
								: "%d records, but notes about sessions before number %d, at byte %d of %s")
							.formatted(lost, next, hole.from(), file.name()));
						hole = null;
						behindHole.forEach((one) -> add(found, one, wantsSessions));
						behindHole.clear();
					}
					next = whole.number();
					end = whole.end();
					ended = whole.kind() == Kind.END;
					if (whole.kind() == Kind.NOTE && wantsSessions) {
						readNote(reader, whole);
					}
					// The last note is empty, and records come after it.
					hasSessions |= whole.numbered() || (whole.kind() == Kind.NOTE && whole.length() == 0);
					if (whole.numbered()) {
						add(found, LogRecord.read(reader, whole), wantsSessions);
						next++;
					}
				}
				case SegmentReader.End atEnd -> {
					if (!isLast && (hole != null || atEnd.bytes() > 0)) {
						this.damages.add("%d bytes at the end of %s".formatted(reader.size() - end, file.name()));
					}
					this.sessionsFound |= hasSessions;
					return new Scan(header, next, end, ended, hasSessions, found);
				}
			}
		}
	}

	private void readNote(SegmentReader reader, SegmentReader.Whole note) throws IOException {
		if (note.length() > 0) {
			SessionNote.read(reader, note, this.sessions);
		}
	}

	/** Call it in the order of the records. */
	private void add(Deque<Stored> found, LogRecord record, boolean wantsSessions) {
		if (record.session() != null && wantsSessions) {
			this.sessions.found(record.session(), record.sequence(), record.checksum(), record.storedMillis());
		}
		found.add(Stored.of(record));
		if (found.size() > this.maxIds) {
			found.remove();
		}
	}

}
