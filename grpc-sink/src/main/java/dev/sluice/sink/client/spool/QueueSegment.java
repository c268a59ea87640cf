package dev.sluice.sink.client.spool;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

import org.jspecify.annotations.Nullable;

/**
 * The state of a segment of a queue. Its header is also in the file's name, because
 * without the salt no record can be recognized. Guarded by the queue, except for
 * {@code places}.
 */
final class QueueSegment {

	private static final String SUFFIX = ".segment";

	/** Minimum distance of two remembered records in the file, in bytes. */
	private static final long PLACE_EVERY = 128 * 1024;

	private final Path file;

	private final SegmentHeader header;

	/** The positions of some records, by number. */
	private final ConcurrentNavigableMap<Long, Long> places = new ConcurrentSkipListMap<>();

	/** Length of the file up to the last commit. */
	private long bytes;

	/** The number after its last record. */
	private long end;

	/** Records below this number were promised to their sender. */
	private long promised;

	/** Records that are not settled. */
	private long unsettled;

	/** Bytes of the unsettled records, estimated by the average if some are settled. */
	private long unsettledBytes;

	QueueSegment(Path file, SegmentHeader header) {
		this.file = file;
		this.header = header;
		this.bytes = SegmentHeader.BYTES;
		this.end = header.firstNumber();
		this.promised = this.end;
		this.places.put(this.end, this.bytes);
	}

	/** The header in a file's name; null if it is not the name of a segment. */
	static @Nullable SegmentHeader header(Path file) {
		String name = file.getFileName().toString();
		return name.endsWith(SUFFIX) ? SegmentHeader.named(name.substring(0, name.length() - SUFFIX.length())) : null;
	}

	static String name(SegmentHeader header) {
		return header.name() + SUFFIX;
	}

	Path file() {
		return this.file;
	}

	SegmentHeader header() {
		return this.header;
	}

	long first() {
		return this.header.firstNumber();
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

	long unsettled() {
		return this.unsettled;
	}

	long unsettledBytes() {
		return this.unsettledBytes;
	}

	/** Notes how far the segment has been read or committed. */
	void reaches(long end, long promised, long bytes) {
		this.end = end;
		this.promised = promised;
		this.bytes = bytes;
	}

	/** Sets the number of unsettled records. */
	void unsettled(long count) {
		long all = this.end - first();
		this.unsettled = count;
		this.unsettledBytes = (all > 0) ? (this.bytes - SegmentHeader.BYTES) / all * count : 0;
	}

	void added(long records, long recordBytes) {
		this.unsettled += records;
		this.unsettledBytes += recordBytes;
	}

	void settled(long count) {
		this.unsettledBytes -= (this.unsettled > count) ? this.unsettledBytes / this.unsettled * count
				: this.unsettledBytes;
		this.unsettled -= count;
	}

	/**
	 * Remembers where a record begins, if that is far enough after the last such place.
	 */
	void place(long number, long position) {
		Map.Entry<Long, Long> before = this.places.floorEntry(number);
		if (before == null || position - before.getValue() >= PLACE_EVERY) {
			this.places.put(number, position);
		}
	}

	/** Forgets the places of records that were rolled back. */
	void rolledBack(long from) {
		this.places.tailMap(Math.max(from, first() + 1)).clear();
	}

	/** The last known place at or before a record. */
	Map.Entry<Long, Long> placeBefore(long number) {
		Map.Entry<Long, Long> place = this.places.floorEntry(number);
		return (place != null) ? place : this.places.firstEntry();
	}

}
