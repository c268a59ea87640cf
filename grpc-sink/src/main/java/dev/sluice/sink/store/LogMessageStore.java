package dev.sluice.sink.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log of files that only grow: durable once it is forced to the disk, so that it
 * outlives the machine's power. One thread writes; what comes while it forces goes with
 * the next force (group commit). Nothing is ever deleted here.
 * <p>
 * A record is its length (4 bytes), the CRC-32C of what follows (4), the id's length (1),
 * id and payload. What is not whole at the end, as a crash leaves it, is cut off at the
 * start and kept beside: where a disk has damaged it, records that were acknowledged may
 * lie behind. After a failed write nothing more is taken: what the system then has of the
 * file is open.
 * <p>
 * Bound: {@value #QUEUE} messages wait; beyond, they are not taken.
 */
public final class LogMessageStore implements MessageStore, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(LogMessageStore.class);

	private static final int QUEUE = 20_000;

	/** Written by one force at most. */
	private static final int BATCH = 4_000;

	private static final int HEADER_BYTES = 8;

	private static final int BUFFER_BYTES = 1024 * 1024;

	private static final long CLOSE_MILLIS = 10_000;

	private static final String SUFFIX = ".log";

	private static final String CUT_SUFFIX = ".cut";

	private final Path directory;

	private final long segmentBytes;

	private final FileChannel lockFile;

	private final BlockingQueue<Write> writes = new ArrayBlockingQueue<>(QUEUE);

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

	private final Thread writer;

	private FileChannel segment;

	private int segmentNumber;

	private volatile boolean ready = true;

	private volatile boolean closing;

	private record Write(byte[] id, byte[] payload, CompletableFuture<Integer> done) {
	}

	/**
	 * Opens the log, or begins one.
	 * @param directory its own; another process that has it is an error
	 * @param segmentBytes length at which a file is full
	 * @param recent where to the last ids go
	 * @throws UncheckedIOException if it cannot be read or written
	 */
	@SuppressWarnings("this-escape") // The thread begins last.
	public LogMessageStore(Path directory, long segmentBytes, RecentIds recent) {
		this.directory = directory;
		this.segmentBytes = segmentBytes;
		try {
			Files.createDirectories(directory);
			this.lockFile = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE);
			FileLock lock = this.lockFile.tryLock();
			if (lock == null) {
				throw new IOException("Another process has " + directory + "; give each sink its own directory");
			}
			List<Path> segments = segments(directory);
			this.segmentNumber = segments.isEmpty() ? 0 : number(segments.getLast());
			readLastIds(segments, recent);
			this.segment = openSegment();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The log in " + directory + " cannot be opened: " + ex.getMessage(), ex);
		}
		this.writer = Thread.ofPlatform().name("sink-log").start(this::write);
	}

	@Override
	public boolean ready() {
		return this.ready;
	}

	@Override
	public CompletableFuture<Integer> store(byte[] id, byte[] payload) {
		Write write = new Write(id, payload, new CompletableFuture<>());
		if (!this.ready || !this.writes.offer(write)) {
			return CompletableFuture
				.failedFuture(new StoreUnavailableException(this.ready ? "The log is full of messages not written yet"
						: "The log takes nothing more since a write failed or it was closed"));
		}
		if (!this.ready) {
			// The writer may have ended between the two.
			refuseAll(new ArrayList<>());
		}
		return write.done();
	}

	private void write() {
		List<Write> batch = new ArrayList<>();
		try {
			while (!this.closing || !this.writes.isEmpty()) {
				batch.clear();
				Write first = this.writes.poll(50, TimeUnit.MILLISECONDS);
				if (first != null) {
					batch.add(first);
					this.writes.drainTo(batch, BATCH - 1);
					writeAndForce(batch);
					batch.forEach((write) -> write.done().complete(0));
				}
			}
		}
		catch (IOException ex) {
			logger.error("The log in {} could not be written; nothing more is taken until the sink is started anew",
					this.directory, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.ready = false;
			refuseAll(batch);
		}
	}

	private void refuseAll(List<Write> batch) {
		this.writes.drainTo(batch);
		// Those that are done already stay so.
		batch.forEach((write) -> write.done()
			.completeExceptionally(new StoreUnavailableException("The log could not be written")));
	}

	private void writeAndForce(List<Write> batch) throws IOException {
		for (Write write : batch) {
			append(write);
		}
		flush();
		this.segment.force(false);
		if (this.segment.position() >= this.segmentBytes) {
			this.segment.close();
			this.segmentNumber++;
			this.segment = openSegment();
		}
	}

	private void append(Write write) throws IOException {
		byte[] id = write.id();
		CRC32C crc = new CRC32C();
		crc.update(id.length);
		crc.update(id);
		crc.update(write.payload());
		if (this.buffer.remaining() < HEADER_BYTES + 1 + id.length) {
			flush();
		}
		this.buffer.putInt(1 + id.length + write.payload().length).putInt((int) crc.getValue());
		this.buffer.put((byte) id.length).put(id);
		int from = 0;
		while (from < write.payload().length) {
			if (!this.buffer.hasRemaining()) {
				flush();
			}
			int length = Math.min(this.buffer.remaining(), write.payload().length - from);
			this.buffer.put(write.payload(), from, length);
			from += length;
		}
	}

	private void flush() throws IOException {
		this.buffer.flip();
		while (this.buffer.hasRemaining()) {
			this.segment.write(this.buffer);
		}
		this.buffer.clear();
	}

	private FileChannel openSegment() throws IOException {
		Path file = this.directory.resolve("%010d%s".formatted(this.segmentNumber, SUFFIX));
		boolean isNew = !Files.exists(file);
		FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		channel.position(channel.size());
		if (isNew) {
			forceFolder(this.directory);
		}
		return channel;
	}

	/** The name of a new file must outlive a loss of power too. */
	private static void forceFolder(Path directory) throws IOException {
		try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
			folder.force(true);
		}
	}

	/** Newest file first, until there are enough; what is half-written is cut off. */
	private static void readLastIds(List<Path> segments, RecentIds recent) throws IOException {
		List<List<ByteString>> files = new ArrayList<>();
		int ids = 0;
		for (int i = segments.size() - 1; i >= 0 && (ids < recent.horizon() || i == segments.size() - 1); i--) {
			List<ByteString> file = readIds(segments.get(i), i == segments.size() - 1);
			files.addFirst(file);
			ids += file.size();
		}
		files.forEach((file) -> file.forEach((id) -> recent.add(0, id)));
	}

	private static List<ByteString> readIds(Path file, boolean last) throws IOException {
		List<ByteString> ids = new ArrayList<>();
		long end = 0;
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			RecordReader reader = new RecordReader(channel);
			ByteString id = reader.nextId();
			while (id != null) {
				ids.add(id);
				end = reader.position();
				id = reader.nextId();
			}
			if (end < channel.size()) {
				if (!last) {
					throw new IOException(file + " is damaged at byte " + end
							+ "; restore it, or move it away if its messages may be lost");
				}
				Path cut = keep(channel, end, file);
				logger.warn(
						"{} holds no whole record from byte {} on, as after a crash; these {} bytes are moved to {}",
						file, end, channel.size() - end, cut);
				channel.truncate(end);
				channel.force(true);
			}
		}
		return ids;
	}

	/** Behind what was cut off before. */
	private static Path keep(FileChannel segment, long from, Path file) throws IOException {
		Path cut = file.resolveSibling(file.getFileName() + CUT_SUFFIX);
		try (FileChannel kept = FileChannel.open(cut, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
			long position = from;
			while (position < segment.size()) {
				position += segment.transferTo(position, segment.size() - position, kept);
			}
			kept.force(true);
		}
		forceFolder(Objects.requireNonNull(file.toAbsolutePath().getParent()));
		return cut;
	}

	static List<Path> segments(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.filter((file) -> file.getFileName().toString().endsWith(SUFFIX)).sorted().toList();
		}
	}

	private static int number(Path segment) {
		String name = segment.getFileName().toString();
		return Integer.parseInt(name.substring(0, name.length() - SUFFIX.length()));
	}

	/** Writes what was taken, for at most 10 s, and lets the directory go. */
	@Override
	public void close() throws IOException {
		this.closing = true;
		try {
			this.writer.join(CLOSE_MILLIS);
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
		this.segment.close();
		this.lockFile.close();
	}

}
