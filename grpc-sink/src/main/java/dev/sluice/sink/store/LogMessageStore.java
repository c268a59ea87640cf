package dev.sluice.sink.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.LogFile;
import dev.sluice.sink.format.LogRecord;
import dev.sluice.sink.segment.DirectoryLock;
import dev.sluice.sink.segment.Disk;
import dev.sluice.sink.segment.SegmentHeader;
import dev.sluice.sink.segment.SegmentWriter;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.sequence.SessionState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores messages in a log of {@linkplain dev.sluice.sink.segment.SegmentFormat
 * segments}. A message is durable once it is forced to the disk, so it survives a loss of
 * power. One thread writes; messages that come while it forces go with the next force
 * (group commit). {@link Retention} decides which segments are deleted: whole ones, the
 * oldest first, never the newest. {@link LogRecord} describes the body of a record.
 * <p>
 * Each segment begins with notes about all sessions known before it. So the newest
 * segment has which of their messages are stored, however old they are.
 * <p>
 * When the log is opened, the rest of a batch that a crash interrupted is cut off and
 * moved to a file beside it; that batch was never acknowledged. Any other incomplete
 * record is damage, and so is a missing segment: the log reports it, and opens only with
 * {@link Damage#CONTINUE}. Records found are forced before they count as stored: another
 * process may have written them and been killed before it forced them.
 * <p>
 * While the disk is full or fails, no messages are accepted. The log recovers by itself.
 * <p>
 * At most {@value #QUEUE} messages wait; further ones are refused. Opening takes memory
 * for the ids within the horizon and for the sessions, whatever the size of the records.
 */
@ThreadSafe
public final class LogMessageStore implements MessageStore, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(LogMessageStore.class);

	private static final int QUEUE = 20_000;

	/** Maximum number of messages in one force. */
	private static final int BATCH = 4_000;

	private static final int BUFFER_BYTES = 1024 * 1024;

	private static final long CLOSE_MILLIS = 10_000;

	private static final Duration POLL = Duration.ofMillis(50);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final Duration RETENTION_CHECK = Duration.ofMinutes(1);

	private static final String CUT_SUFFIX = ".cut";

	private final Path directory;

	private final long segmentBytes;

	private final Retention retention;

	private final Disk disk;

	private final DirectoryLock lock;

	private final BlockingQueue<Write> writes = new ArrayBlockingQueue<>(QUEUE);

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

	private final SecureRandom random = new SecureRandom();

	private final long session = this.random.nextLong();

	/** Confined to the writer's thread once it runs. */
	private final KnownSessions sessions;

	private final LongSupplier clock;

	private final Thread writer;

	/** Confined to the writer's thread once it runs. */
	private int segmentNumber;

	/**
	 * The next segment's file if creating it has failed. It is created again under the
	 * same name, so that no two files have the same number. Confined to the writer's
	 * thread once it runs.
	 */
	private @Nullable LogFile begun;

	/** Null while none can be opened. Confined to the writer's thread once it runs. */
	private @Nullable SegmentWriter segment;

	/** Confined to the writer's thread once it runs. */
	private long nextNumber;

	/** In milliseconds since the epoch. Confined to the writer's thread once it runs. */
	private long nextRetentionCheck;

	private volatile boolean ready;

	private volatile boolean closing;

	private volatile boolean ended;

	private record Write(@Nullable Place place, Content content, CompletableFuture<OnceStore.Outcome> done) {

		/** Closes the fence, so no later message of its stream is stored. */
		void fail(String because) {
			if (this.place != null) {
				this.place.fence().close();
			}
			this.done.completeExceptionally(new StoreUnavailableException(because));
		}

	}

	/** What to do if acknowledged records are lost. */
	public enum Damage {

		/** Refuse to open the log, with a message that names the damage. */
		REFUSE,

		/** Log the damage, and continue with the intact records. */
		CONTINUE

	}

	/**
	 * Opens a log, or creates one.
	 * @param directory directory for this log only; it must not be in use by another
	 * process
	 * @param segmentBytes length at which a segment is full
	 * @param damage what to do if acknowledged records are lost
	 * @param retention which segments are deleted
	 * @param recent receives the last ids
	 * @param sessions receives the sessions; used by this log only
	 * @throws UncheckedIOException if the log cannot be read, or is damaged
	 */
	public LogMessageStore(Path directory, long segmentBytes, Damage damage, Retention retention, RecentIds recent,
			KnownSessions sessions) {
		this(directory, segmentBytes, damage, retention, recent, sessions, FileChannel::open,
				System::currentTimeMillis);
	}

	@SuppressWarnings("this-escape") // The thread begins last.
	LogMessageStore(Path directory, long segmentBytes, Damage damage, Retention retention, RecentIds recent,
			KnownSessions sessions, Disk disk, LongSupplier clock) {
		this.retention = retention;
		this.directory = directory;
		this.segmentBytes = segmentBytes;
		this.disk = disk;
		this.sessions = sessions;
		this.clock = clock;
		try {
			this.lock = DirectoryLock.take(directory);
		}
		catch (IOException ex) {
			throw failed(ex);
		}
		try {
			recover(damage, recent);
		}
		catch (IOException ex) {
			unlock();
			throw failed(ex);
		}
		resume();
		this.writer = Thread.ofPlatform().name("sink-log").start(this::write);
	}

	private UncheckedIOException failed(IOException cause) {
		return new UncheckedIOException("The log in " + this.directory + " cannot be opened: " + cause.getMessage(),
				cause);
	}

	private void unlock() {
		try {
			this.lock.close();
		}
		catch (IOException ex) {
			logger.warn("The lock of {} could not be closed: {}", this.directory, ex.getMessage());
		}
	}

	@Override
	public boolean ready() {
		return this.ready;
	}

	@Override
	public CompletableFuture<Integer> store(Content content) {
		return add(new Write(null, content, new CompletableFuture<>())).thenApply((_) -> 0);
	}

	@Override
	public CompletableFuture<OnceStore.Outcome> store(Place place, Content content) {
		return add(new Write(place, content, new CompletableFuture<>()));
	}

	private CompletableFuture<OnceStore.Outcome> add(Write write) {
		if (!this.ready || !this.writes.offer(write)) {
			write.fail(this.ready ? "Too many messages wait to be written to the log"
					: "The log cannot be written now, or is closed");
			return write.done();
		}
		if (this.ended) {
			// The writer may have ended between the check and the offer.
			refuseAll(new ArrayList<>());
		}
		return write.done();
	}

	private void write() {
		List<Write> batch = new ArrayList<>();
		try {
			while (!this.closing || !this.writes.isEmpty()) {
				deleteExpired(false);
				batch.clear();
				Write first = this.writes.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
				if (first != null) {
					batch.add(first);
					this.writes.drainTo(batch, BATCH - 1);
					writeAndForce(batch);
				}
				while (!this.ready && !this.closing) {
					Thread.sleep(RETRY);
					// A message queued during the failure would overtake those that
					// failed.
					batch.clear();
					refuseAll(batch);
					resume();
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.ready = false;
			this.ended = true;
			refuseAll(batch);
		}
	}

	private void refuseAll(List<Write> batch) {
		this.writes.drainTo(batch);
		// Messages that already have a result keep it.
		batch.forEach((write) -> write.fail("The log could not be written"));
	}

	private void writeAndForce(List<Write> batch) {
		SegmentWriter to = this.segment;
		if (!this.ready || to == null) {
			refuseAll(batch);
			return;
		}
		Batch stored = new Batch();
		try {
			for (Write write : batch) {
				if (stored.takes(write)) {
					Place place = write.place();
					to.append(LogRecord.head(this.clock.getAsLong(), write.content(),
							(place != null) ? place.session().id() : null, (place != null) ? place.sequence() : 0),
							write.content().payload());
				}
			}
			if (to.nextNumber() > this.nextNumber) {
				to.commit(true);
			}
		}
		catch (IOException ex) {
			this.ready = false;
			logger.error("The log in {} cannot be written: {}; messages are refused until it can", this.directory,
					ex.getMessage());
			stored.takeBack();
			refuseAll(batch);
			return;
		}
		stored.done();
		this.nextNumber = to.nextNumber();
		if (to.size() >= this.segmentBytes) {
			resume();
		}
	}

	/** Messages written with one force. Confined to the writer's thread. */
	private final class Batch {

		private final List<Write> written = new ArrayList<>();

		/** Repeats of messages of this batch or of earlier ones. */
		private final List<Write> repeats = new ArrayList<>();

		/**
		 * Whether to write a message; if not, it gets its result now or with the batch.
		 */
		boolean takes(Write write) {
			Place place = write.place();
			if (place == null) {
				this.written.add(write);
				return true;
			}
			if (place.fence().isClosed()) {
				write.fail("An earlier message of the stream was not stored");
				return false;
			}
			SessionState state;
			try {
				state = LogMessageStore.this.sessions.of(place.session(), LogMessageStore.this.clock.getAsLong());
			}
			catch (SessionForgottenException ex) {
				write.done().completeExceptionally(ex);
				return false;
			}
			if (state == null) {
				write.fail("There are too many sessions (sink.max-sessions), and none is old enough to be forgotten");
				return false;
			}
			switch (state.offer(place.sequence(), write.content().checksum())) {
				case NEW -> this.written.add(write);
				case REPEAT -> this.repeats.add(write);
				case DIFFERENT -> write.done().completeExceptionally(new ContentDiffersException(place.sequence()));
				case TOO_MANY_GAPS ->
					write.fail("Too many older messages of the session are missing; they must come first");
			}
			return !this.written.isEmpty() && this.written.getLast() == write;
		}

		void done() {
			this.written.forEach((write) -> write.done().complete(OnceStore.Outcome.STORED));
			this.repeats.forEach((write) -> write.done().complete(OnceStore.Outcome.REPEATED));
		}

		void takeBack() {
			for (Write write : this.written) {
				Place place = write.place();
				SessionState state = (place != null) ? LogMessageStore.this.sessions.known(place.session().id()) : null;
				if (place != null && state != null) {
					state.takeBack(place.sequence());
				}
			}
		}

	}

	/** Becomes ready if the current segment, or a new one, can be written. */
	private void resume() {
		try {
			SegmentWriter current = this.segment;
			if (current != null) {
				current.rollBack();
			}
			if (current == null || current.size() >= this.segmentBytes) {
				SegmentWriter next = newSegment();
				if (current != null) {
					end(current, next);
				}
				this.segment = next;
				this.segmentNumber++;
				this.begun = null;
				this.ready = true;
				deleteExpired(true);
			}
			this.ready = true;
		}
		catch (IOException ex) {
			this.ready = false;
			logger.warn("The log in {} cannot be written yet: {}", this.directory, ex.getMessage());
		}
	}

	/**
	 * Deletes segments whose retention has expired. The newest one also has the sessions.
	 * Confined to the writer's thread.
	 * @param now whether to check now, not at the time of the next check
	 */
	private void deleteExpired(boolean now) {
		long millis = this.clock.getAsLong();
		if (!this.ready || this.retention.equals(Retention.FOR_EVER) || !(now || millis >= this.nextRetentionCheck)) {
			return;
		}
		this.nextRetentionCheck = millis + RETENTION_CHECK.toMillis();
		try {
			List<LogFile> segments = LogFile.list(this.directory);
			long bytes = 0;
			for (LogFile segment : segments) {
				bytes += Files.size(segment.path());
			}
			for (LogFile oldest : segments.subList(0, Math.max(0, segments.size() - 1))) {
				// A segment is not written to after its end.
				long ended = Files.getLastModifiedTime(oldest.path()).toMillis();
				if (!this.retention.expires(millis - ended, bytes)) {
					return;
				}
				bytes -= Files.size(oldest.path());
				this.disk.delete(oldest.path());
				logger.info("Deleted {}: sink.retention={}, sink.retention-size={} bytes", oldest.path(),
						this.retention.age(), this.retention.bytes());
			}
		}
		catch (IOException ex) {
			logger.warn("Expired segments in {} cannot be deleted yet: {}", this.directory, ex.getMessage());
		}
	}

	/**
	 * If this fails, it leaves at most an empty segment, which is created again later.
	 */
	private SegmentWriter newSegment() throws IOException {
		LogFile file = this.begun;
		SegmentHeader header = (file != null) ? file.header() : null;
		if (file == null || header == null || header.firstNumber() != this.nextNumber) {
			header = new SegmentHeader(this.random.nextLong(), this.nextNumber, this.session);
			LogFile next = LogFile.of(this.directory, this.segmentNumber, header);
			if (file != null) {
				this.disk.delete(file.path());
			}
			file = next;
			this.begun = next;
		}
		FileChannel channel = this.disk.open(file.path(), StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		try {
			SegmentWriter segment = SegmentWriter.begin(channel, header, this.buffer);
			noteSessions(segment);
			segment.commit(true);
			this.disk.forceDirectory(this.directory);
			return segment;
		}
		catch (IOException ex) {
			channel.close();
			throw ex;
		}
	}

	/** Notes all sessions before the first record. An empty note ends the list. */
	private void noteSessions(SegmentWriter segment) throws IOException {
		List<byte[]> notes = new ArrayList<>();
		this.sessions.forEach((id, state, storedMillis) -> notes.add(SessionNote.of(id, state, storedMillis)));
		for (byte[] note : notes) {
			segment.note(note);
		}
		segment.note(new byte[0]);
	}

	/**
	 * Marks a full segment as followed by another, once that exists and before it has
	 * records. So the loss of the newest segment is noticed.
	 */
	private static void end(SegmentWriter full, SegmentWriter next) throws IOException {
		try {
			full.end();
			full.commit(true);
		}
		catch (IOException ex) {
			next.close();
			throw ex;
		}
		full.close();
	}

	private void recover(Damage damage, RecentIds recent) throws IOException {
		LogRecovery.Recovered found = LogRecovery.recover(this.directory, this.disk, recent.horizon(), this.sessions);
		if (!found.damages().isEmpty()) {
			String what = "acknowledged records are lost: " + String.join("; ", found.damages());
			switch (damage) {
				case REFUSE -> throw new IOException(what
						+ ". Restore the files, or set sink.log-damage=continue to continue with the intact records");
				case CONTINUE ->
					logger.error("In the log in {}, {}. It continues with the intact records", this.directory, what);
			}
		}
		found.names().forEach((stored) -> {
			if (stored.name() != null) {
				recent.add(0, stored.name(), stored.checksum());
			}
		});
		this.nextNumber = found.nextNumber();
		this.segmentNumber = found.nextSegment();
		this.begun = found.begun();
		LogRecovery.Segment last = found.last();
		if (last != null) {
			FileChannel channel = this.disk.open(last.file(), StandardOpenOption.READ, StandardOpenOption.WRITE);
			cut(channel, last);
			SegmentWriter resumed = SegmentWriter.resume(channel, last.salt(), this.nextNumber, this.buffer);
			if (last.lacksSessions()) {
				noteSessions(resumed);
				resumed.commit(true);
			}
			this.segment = resumed;
		}
	}

	/**
	 * Cuts off an incomplete batch and appends it to the {@code .cut} file, if it can.
	 */
	private void cut(FileChannel channel, LogRecovery.Segment segment) throws IOException {
		long bytes = channel.size() - segment.end();
		if (bytes == 0) {
			return;
		}
		Path cut = segment.file().resolveSibling(segment.file().getFileName() + CUT_SUFFIX);
		logger.warn("{} ends with {} bytes of a batch that was not forced, as after a crash; they are moved to {}",
				segment.file(), bytes, cut);
		try (FileChannel kept = FileChannel.open(cut, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
			long position = segment.end();
			while (position < channel.size()) {
				position += channel.transferTo(position, channel.size() - position, kept);
			}
			kept.force(true);
			this.disk.forceDirectory(this.directory);
		}
		catch (IOException ex) {
			logger.warn("{} could not be written, and these bytes are discarded: {}", cut, ex.getMessage());
		}
		channel.truncate(segment.end());
		channel.force(true);
	}

	/** Writes the queued messages, for at most 10 s, and unlocks the directory. */
	@Override
	public void close() throws IOException {
		this.closing = true;
		try {
			this.writer.join(CLOSE_MILLIS);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		SegmentWriter last = this.segment;
		if (last != null) {
			last.close();
		}
		unlock();
	}

}
