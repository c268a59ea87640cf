package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spool in a directory, a {@link SegmentQueue}. One thread writes; messages that other
 * threads append meanwhile go into one batch (group commit). With {@code force} each
 * batch is forced to the disk, so that it survives a loss of power; otherwise it is
 * written to the operating system and survives this process. Settled numbers are written
 * with the next batch or within 50 ms, and no caller waits for that: after a crash the
 * last ones are sent again.
 * <p>
 * Bounds: {@code maxBytes} bytes of entries. The files take at most twice that plus two
 * segments; at that limit nothing is appended until the oldest message is settled. At
 * most {@value #QUEUE} appends wait.
 * <p>
 * While the disk is full or fails, nothing is appended; everything else continues. A
 * failed append is rolled back; if that fails too, its messages may still be sent after
 * the next opening.
 */
public final class FileSpool implements Spool {

	private static final Logger logger = LoggerFactory.getLogger(FileSpool.class);

	private static final int QUEUE = 1_024;

	private static final Duration SETTLE_INTERVAL = Duration.ofMillis(50);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	/** Maximum size of a batch, unless the messages are appended together. */
	private static final long BATCH_BYTES = 16 * 1024 * 1024;

	private static final long LEAST_SEGMENT_BYTES = 64 * 1024;

	private static final long GREATEST_SEGMENT_BYTES = 64 * 1024 * 1024;

	private static final int SEGMENTS = 16;

	private final Path directory;

	private final long maxBytes;

	private final long maxFileBytes;

	private final FileChannel lock;

	private final SegmentQueue queue;

	/** Confined to the thread that writes. */
	private final SegmentWriter writer;

	/** Confined to the thread that writes. */
	private final QueueReader oldestReader;

	/** Reads what is sent next. Confined to the thread that sends, as the other one. */
	private final QueueReader reader;

	/** Reads what is refused, in ascending order too. */
	private final QueueReader refusedReader;

	private final BlockingQueue<Append> appends = new ArrayBlockingQueue<>(QUEUE);

	/** The number of the oldest entry; confined to the thread that writes. */
	private long first = -1;

	/** When the oldest entry was appended. */
	private volatile @Nullable Long oldest;

	private volatile boolean closing;

	/** Completed when the thread that writes has ended. */
	private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	/** Messages that become durable together. */
	private record Append(List<Message> messages, long bytes, CompletableFuture<List<Entry>> done) {

		/** Wakes the thread that writes. */
		static final Append NOTHING = new Append(List.of(), 0, new CompletableFuture<>());

	}

	/**
	 * Opens a spool, or creates one.
	 * @param directory directory for this spool only
	 * @param maxBytes maximum size of all entries
	 * @param force whether entries survive a loss of power
	 * @throws SpoolFailedException if another process uses the directory, or if it cannot
	 * be read
	 */
	public FileSpool(Path directory, long maxBytes, boolean force) {
		this(directory, maxBytes, force, Math.clamp(maxBytes / SEGMENTS, LEAST_SEGMENT_BYTES, GREATEST_SEGMENT_BYTES),
				FileChannel::open);
	}

	@SuppressWarnings("this-escape") // The thread begins last.
	FileSpool(Path directory, long maxBytes, boolean force, long segmentBytes, Disk disk) {
		this.directory = directory;
		this.maxBytes = maxBytes;
		this.maxFileBytes = 2 * (maxBytes + segmentBytes);
		try {
			this.lock = disk.lock(directory);
		}
		catch (IOException ex) {
			throw cannotBeOpened(ex);
		}
		try {
			if (force) {
				disk.forceDirectory(directory);
				disk.forceDirectory(directory.toAbsolutePath().resolveSibling("."));
			}
			this.queue = new SegmentQueue(directory, disk);
		}
		catch (IOException ex) {
			release(this.lock);
			throw cannotBeOpened(ex);
		}
		this.writer = new SegmentWriter(this.queue, directory, segmentBytes, force, disk);
		this.reader = new QueueReader(this.queue, disk);
		this.refusedReader = new QueueReader(this.queue, disk);
		this.oldestReader = new QueueReader(this.queue, disk);
		showOldest();
		Thread.ofPlatform().daemon().name("spool " + directory.getFileName()).start(this::run);
	}

	private SpoolFailedException cannotBeOpened(IOException cause) {
		return new SpoolFailedException(
				"The spool %s cannot be opened: %s".formatted(this.directory, cause.getMessage()), cause);
	}

	@Override
	public List<Entry> append(List<Message> messages) throws InterruptedException {
		Append append = new Append(List.copyOf(messages), Entry.bytes(messages), new CompletableFuture<>());
		if (this.closing || !this.appends.offer(append, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new SpoolFailedException("The spool accepts no more messages: it is closed, or the disk is stuck");
		}
		if (this.ended.isDone()) {
			// The thread may have ended between the check and the offer.
			failWaiting(new SpoolFailedException("The spool is closed"));
		}
		try {
			return append.done().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new SpoolFailedException("The disk is stuck: the messages may not be durable", ex);
		}
		catch (ExecutionException ex) {
			Throwable cause = Objects.requireNonNull(ex.getCause());
			String why = String.valueOf(cause.getMessage());
			throw (cause instanceof SpoolFullException) ? new SpoolFullException(why, cause)
					: new SpoolFailedException(why, cause);
		}
	}

	/**
	 * Whether there is room for an append; if not, refuses it.
	 * @param others bytes of those that are written before it
	 */
	private boolean hasRoom(Append append, long others) {
		long entries = others + this.queue.unsettledBytes();
		long files = others + this.queue.bytes();
		if (entries + append.bytes() > this.maxBytes) {
			append.done().completeExceptionally(new SpoolFullException(entries, this.maxBytes));
		}
		else if (files + append.bytes() > this.maxFileBytes) {
			append.done()
				.completeExceptionally(new SpoolFullException(
						("The spool's files have %s of at most %s bytes, most of them after an old message: send again "
								+ "when the sink has stored that one")
							.formatted(files, this.maxFileBytes)));
		}
		return !append.done().isDone();
	}

	/** The loop of the thread that writes. */
	private void run() {
		List<Append> group = new ArrayList<>();
		RuntimeException end = new SpoolFailedException("The spool is closed");
		try {
			while (!this.closing || !this.appends.isEmpty()) {
				group.clear();
				collect(group);
				if (!group.isEmpty()) {
					write(group);
				}
				else if (this.queue.hasUnnoted()) {
					write(List.of());
				}
				deleteSettled();
				showOldest();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException | Error ex) {
			logger.error("The spool {} has failed and accepts no more messages", this.directory, ex);
			end = new SpoolFailedException("The spool has failed, the messages may not be durable: " + ex, ex);
		}
		finally {
			this.closing = true;
			fail(group, end);
			release(this.oldestReader);
			release(this.writer);
			release(this.lock);
			this.ended.complete(null);
			failWaiting(end);
		}
	}

	private void collect(List<Append> group) throws InterruptedException {
		Append next = this.appends.poll(this.closing ? 0 : SETTLE_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
		long size = 0;
		while (next != null) {
			if (next != Append.NOTHING && hasRoom(next, size)) {
				group.add(next);
				size += next.bytes();
			}
			next = (size < BATCH_BYTES) ? this.appends.poll() : null;
		}
	}

	private void write(List<Append> group) {
		try {
			List<Entry> entries = this.writer
				.write(group.stream().flatMap((append) -> append.messages().stream()).toList());
			int from = 0;
			for (Append append : group) {
				int to = from + append.messages().size();
				append.done().complete(entries.subList(from, to));
				from = to;
			}
		}
		catch (SpoolFullException | SpoolFailedException ex) {
			fail(group, ex);
		}
	}

	private void failWaiting(RuntimeException cause) {
		List<Append> waiting = new ArrayList<>();
		this.appends.drainTo(waiting);
		fail(waiting, cause);
	}

	private void fail(List<Append> group, RuntimeException cause) {
		for (Append append : group) {
			// An append that already has a result keeps it.
			append.done().completeExceptionally(cause);
		}
	}

	private void deleteSettled() {
		try {
			this.writer.deleteSettled();
		}
		catch (IOException ex) {
			logger.warn("Unneeded files of the spool {} cannot be deleted: {}", this.directory, ex.toString());
		}
	}

	/**
	 * Reads the oldest entry only if it has changed: it does not while the sink is down.
	 */
	private void showOldest() {
		long number = this.queue.firstUnsettled(0);
		if (number == this.first) {
			return;
		}
		try {
			Entry entry = this.oldestReader.read(number);
			this.oldest = (entry != null) ? entry.appendedAt() : null;
			this.first = (entry != null) ? number : -1;
		}
		catch (IOException ex) {
			logger.warn("Message {} of the spool {} cannot be read now: {}", number, this.directory, ex.toString());
		}
	}

	@Override
	public @Nullable Entry next(long after) {
		long number = this.queue.firstUnsettled(after + 1);
		while (number < this.queue.end()) {
			Entry entry = read(this.reader, number);
			if (entry != null) {
				return entry;
			}
			number = this.queue.firstUnsettled(number + 1);
		}
		return null;
	}

	@Override
	public long session() {
		return this.writer.session();
	}

	@Override
	public boolean hasNext(long after) {
		return this.queue.firstUnsettled(after + 1) < this.queue.end();
	}

	@Override
	public long firstUnsettled() {
		return this.queue.firstUnsettled(0);
	}

	@Override
	public @Nullable Entry get(long number) {
		return read(this.refusedReader, number);
	}

	private @Nullable Entry read(QueueReader from, long number) {
		try {
			Entry recent = this.queue.takeRecent(number);
			return (recent != null) ? recent : from.read(number);
		}
		catch (IOException ex) {
			throw new SpoolFailedException(
					"Message %s of the spool %s cannot be read now: %s".formatted(number, this.directory, ex), ex);
		}
	}

	@Override
	public void settle(Collection<Long> numbers) {
		numbers.forEach(this.queue::settle);
	}

	@Override
	public long size() {
		return this.queue.unsettled();
	}

	@Override
	public long bytes() {
		return this.queue.unsettledBytes();
	}

	@Override
	public long damaged() {
		return this.queue.damaged();
	}

	@Override
	public @Nullable Long oldest() {
		return this.oldest;
	}

	/** Writes the appends that wait, and unlocks the directory. */
	@Override
	public void close() {
		this.closing = true;
		if (!this.appends.offer(Append.NOTHING)) {
			logger.debug("The spool {} has appends to write", this.directory);
		}
		// An interrupt does not end the wait.
		this.ended.copy().completeOnTimeout(null, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).join();
		release(this.reader);
		release(this.refusedReader);
	}

	private void release(AutoCloseable resource) {
		try {
			resource.close();
		}
		catch (Exception ex) {
			logger.warn("The spool {} could not be closed completely: {}", this.directory, ex.toString());
		}
	}

}
