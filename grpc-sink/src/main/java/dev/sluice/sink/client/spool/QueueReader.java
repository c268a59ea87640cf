package dev.sluice.sink.client.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;

import dev.sluice.sink.client.spool.Spool.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a {@link SegmentQueue} by number. It is fast in ascending order;
 * for a lower number it begins again at the start of the segment. Keeps one file open.
 * Confined to one thread. Interrupting that thread closes only this reader's file, which
 * is then reopened.
 */
final class QueueReader implements Closeable {

	private final SegmentQueue queue;

	private final Disk disk;

	private @Nullable Segment segment;

	private @Nullable FileChannel channel;

	private @Nullable SegmentReader reader;

	/** The number at the reader's position. */
	private long next;

	QueueReader(SegmentQueue queue, Disk disk) {
		this.queue = queue;
		this.disk = disk;
	}

	/**
	 * Reads an entry. Settles it if it is damaged.
	 * @return null if it is settled
	 * @throws IOException if the file cannot be read now
	 */
	@Nullable Entry read(long number) throws IOException {
		Entry recent = this.queue.recent(number);
		if (recent != null) {
			return recent;
		}
		Segment of = this.queue.segmentOf(number);
		if (of == null) {
			return null;
		}
		try {
			SegmentReader at = reader(of, number);
			byte[] body = (at != null) ? read(of, at, number) : null;
			return (body != null) ? Entry.decode(number, of.session, body) : null;
		}
		catch (IOException | RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private @Nullable SegmentReader reader(Segment of, long number) throws IOException {
		SegmentReader open = this.reader;
		FileChannel file = this.channel;
		if (open == null || file == null || !file.isOpen() || of != this.segment) {
			close();
			try {
				file = this.disk.open(of.file, StandardOpenOption.READ);
			}
			catch (NoSuchFileException _) {
				// Deleted by the writer, unless its records are not settled.
				if (this.queue.segmentOf(number) != null) {
					this.queue.lost(of, number, Long.MAX_VALUE);
				}
				return null;
			}
			this.channel = file;
			open = new SegmentReader(file, of.salt);
			this.segment = of;
			this.reader = open;
			this.next = of.first;
		}
		long bytes = Math.min(this.queue.bytes(of), file.size());
		if (open.size() != bytes) {
			open.limit(bytes);
		}
		if (this.next > number) {
			open.seek(0);
		}
		return open;
	}

	private byte @Nullable [] read(Segment of, SegmentReader at, long number) throws IOException {
		while (true) {
			SegmentReader.Whole whole = at.skim();
			if (whole == null) {
				return lost(of, number, Long.MAX_VALUE);
			}
			if (whole.number() > number) {
				at.seek(whole.from());
				return lost(of, number, whole.number());
			}
			// Settled numbers before the record have its number too.
			if (whole.number() == number && whole.numbered()) {
				this.next = number + 1;
				byte[] body = at.body(whole);
				return (body != null) ? body : lost(of, number, number + 1);
			}
		}
	}

	private byte @Nullable [] lost(Segment of, long from, long to) {
		this.next = to;
		this.queue.lost(of, from, to);
		return null;
	}

	@Override
	public void close() throws IOException {
		this.reader = null;
		this.segment = null;
		FileChannel open = this.channel;
		this.channel = null;
		if (open != null) {
			open.close();
		}
	}

}
