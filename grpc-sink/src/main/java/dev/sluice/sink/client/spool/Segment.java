package dev.sluice.sink.client.spool;

import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The state of a segment of a queue. Everything that is needed to read its records is in
 * the file's name, where damage to the file's content cannot reach it. Guarded by the
 * queue.
 */
final class Segment {

	private static final Pattern NAME = Pattern.compile("(\\d{19})-(\\p{XDigit}{16})-(\\p{XDigit}{16})\\.segment");

	private static final int HEX = 16;

	final Path file;

	/** Number of its first record. */
	final long first;

	/** Random number of the file, which is part of each checksum. */
	final long salt;

	/** Random number of the opening that created it. */
	final long session;

	/** Length of the file up to the last commit. */
	private long bytes;

	/** The number after its last record. */
	private long end;

	/** Records below this number were promised to their sender. */
	private long promised;

	/** Records that are not settled. */
	private long unsettled;

	private Segment(Path file, long first, long salt, long session) {
		this.file = file;
		this.first = first;
		this.salt = salt;
		this.session = session;
		this.end = first;
		this.promised = first;
	}

	/** A segment without records. */
	static Segment create(Path directory, long first, long salt, long session) {
		return new Segment(
				directory.resolve(String.format(Locale.ROOT, "%019d-%016x-%016x.segment", first, salt, session)), first,
				salt, session);
	}

	/** The segment in a file, by its name; null if it is not the name of a segment. */
	static @Nullable Segment named(Path file) {
		Matcher name = NAME.matcher(file.getFileName().toString());
		return name.matches() ? new Segment(file, Long.parseLong(name.group(1)),
				Long.parseUnsignedLong(name.group(2), HEX), Long.parseUnsignedLong(name.group(3), HEX)) : null;
	}

	long end() {
		return this.end;
	}

	long bytes() {
		return this.bytes;
	}

	long promised() {
		return this.promised;
	}

	boolean hasRecords() {
		return this.end > this.first;
	}

	long unsettled() {
		return this.unsettled;
	}

	/** Bytes of the unsettled records, each of which counts as the average. */
	long unsettledBytes() {
		return hasRecords() ? this.bytes * this.unsettled / (this.end - this.first) : 0;
	}

	/** Notes how far the segment has been read or committed. */
	void reaches(long end, long promised, long bytes) {
		this.end = end;
		this.promised = promised;
		this.bytes = bytes;
	}

	/** Changes the number of unsettled records. */
	void addUnsettled(long count) {
		this.unsettled += count;
	}

}
