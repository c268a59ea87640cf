package dev.sluice.sink.reader;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.sluice.sink.format.LogFile;
import dev.sluice.sink.format.LogRecord;
import dev.sluice.sink.segment.SegmentFormat;
import dev.sluice.sink.segment.SegmentHeader;
import dev.sluice.sink.segment.SegmentReader;
import dev.sluice.sink.segment.SegmentReader.Whole;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a log from its oldest segment, also while a sink writes it. It changes nothing.
 * It skips damaged bytes, counts them and logs a warning. At the end of a log that a sink
 * is writing, it may return a message before the sink has acknowledged it. Memory: one
 * message and 256 KB.
 */
public final class LogReader implements SinkReader {

	private static final Logger logger = LoggerFactory.getLogger(LogReader.class);

	private static final Duration POLL = Duration.ofMillis(50);

	private final Path directory;

	private @Nullable Segment segment;

	/** The number of the last segment that was opened. */
	private int last = -1;

	private long damaged;

	/** A segment that is being read. */
	private record Segment(LogFile file, FileChannel channel, SegmentReader reader) {
	}

	/**
	 * Creates a reader.
	 * @param directory directory of the log
	 */
	public LogReader(Path directory) {
		this.directory = directory;
	}

	@Override
	public @Nullable StoredMessage next(Duration wait) throws InterruptedException {
		long deadline = System.nanoTime() + wait.toNanos();
		while (true) {
			try {
				StoredMessage message = read();
				if (message != null || System.nanoTime() - deadline >= 0) {
					return message;
				}
			}
			catch (IOException ex) {
				throw failed(ex);
			}
			Thread.sleep(POLL);
		}
	}

	private @Nullable StoredMessage read() throws IOException {
		while (true) {
			Segment current = (this.segment != null) ? this.segment : open();
			if (current == null) {
				return null;
			}
			switch (current.reader().next()) {
				case Whole whole when whole.numbered() -> {
					return message(current.reader(), whole);
				}
				case Whole whole when whole.kind() == SegmentFormat.Kind.END -> closeSegment();
				case Whole _ -> {
					// A note of the sink.
				}
				case SegmentReader.Hole hole -> damaged(current, hole.to() - hole.from());
				case SegmentReader.End end -> {
					if (!continues(current, end)) {
						return null;
					}
				}
			}
		}
	}

	private static StoredMessage message(SegmentReader reader, Whole whole) throws IOException {
		LogRecord record = LogRecord.read(reader, whole);
		return new StoredMessage(0, whole.number(), Instant.ofEpochMilli(record.storedMillis()), record.id(),
				record.key(), record.session(), record.sequence(), record.payload(reader, whole));
	}

	/** Whether there is more: in this segment, or in the next one if there is one. */
	private boolean continues(Segment current, SegmentReader.End end) throws IOException {
		// In this order: once there is another segment, this one gets no more records.
		boolean followed = LogFile.list(this.directory).stream().anyMatch((file) -> file.number() > this.last);
		long size = current.channel().size();
		if (size > current.reader().size()) {
			current.reader().limit(size);
			return true;
		}
		if (followed) {
			if (end.bytes() > 0) {
				damaged(current, end.bytes());
			}
			closeSegment();
		}
		return followed;
	}

	private void damaged(Segment current, long bytes) {
		this.damaged += bytes;
		logger.warn("{} bytes of {} are damaged and were skipped", bytes, current.file().path());
	}

	/** Damaged bytes that were skipped. */
	public long damagedBytes() {
		return this.damaged;
	}

	private @Nullable Segment open() throws IOException {
		List<LogFile> rest = LogFile.list(this.directory).stream().filter((file) -> file.number() > this.last).toList();
		for (LogFile file : rest) {
			try {
				FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ);
				this.segment = new Segment(file, channel, new SegmentReader(channel, file.header()));
				this.last = file.number();
				return this.segment;
			}
			catch (NoSuchFileException ex) {
				logger.debug("{} was deleted meanwhile", file.path(), ex);
			}
		}
		return null;
	}

	/** In bytes. */
	@Override
	public long lag() {
		try {
			Segment current = this.segment;
			long bytes = (current != null) ? Math.max(0, current.channel().size() - current.reader().position()) : 0;
			for (LogFile file : LogFile.list(this.directory)) {
				if (file.number() > this.last) {
					bytes += Math.max(0, Files.size(file.path()) - SegmentHeader.BYTES);
				}
			}
			return bytes;
		}
		catch (IOException ex) {
			throw failed(ex);
		}
	}

	private ReadFailedException failed(IOException cause) {
		return new ReadFailedException("The log in %s cannot be read: %s".formatted(this.directory, cause), cause);
	}

	private void closeSegment() {
		Segment current = this.segment;
		this.segment = null;
		if (current != null) {
			try {
				current.channel().close();
			}
			catch (IOException ex) {
				logger.warn("{} could not be closed: {}", current.file().path(), ex.toString());
			}
		}
	}

	@Override
	public void close() {
		closeSegment();
	}

}
