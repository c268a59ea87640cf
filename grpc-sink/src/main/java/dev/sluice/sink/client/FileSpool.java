package dev.sluice.sink.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import com.google.protobuf.ByteString;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file, kept by H2's MVStore. One thread writes it; what many threads append meanwhile
 * goes into one commit (group commit). With {@link Durability#POWER} each commit is
 * forced to the disk, with {@link Durability#PROCESS} it is written to the operating
 * system. That a message is settled is written with the next commit or within 50 ms, and
 * not waited for: after a crash the last ones are sent again.
 * <p>
 * Bounds: bytes of entries; {@value #QUEUE} appending threads wait with their messages;
 * the entries appended last are kept in memory for their way to the sink, up to 16 MB.
 * Whoever may be interrupted reads nothing of the file: that would close it for all. What
 * is freed in the file is used again; it is compacted to some twice the entries' bytes
 * when nothing is appended for a moment.
 */
final class FileSpool implements Spool {

	private static final Logger logger = LoggerFactory.getLogger(FileSpool.class);

	private static final int QUEUE = 1_024;

	private static final Duration SETTLE_INTERVAL = Duration.ofMillis(50);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final int TAIL_BYTES = 16 * 1024 * 1024;

	private static final int CACHE_MEGABYTES = 16;

	/** Below this nothing is won by compacting. */
	private static final long SMALL_FILE_BYTES = 64 * 1024 * 1024;

	private static final int COMPACT_BYTES = 8 * 1024 * 1024;

	/** When it was appended and the id's length, before id and payload. */
	private static final int ENVELOPE_BYTES = 9;

	private final Durability durability;

	private final long maxBytes;

	private final MVStore store;

	private final MVMap<Long, byte[]> messages;

	private final MVMap<Long, byte[]> refusedMessages;

	/**
	 * In each id, with the number. Drawn anew at each opening and kept nowhere: a file
	 * that is put back to an earlier state would else give ids again, and the sink takes
	 * a new message under an old id for a repeat.
	 */
	private final long openingId = new SecureRandom().nextLong();

	private final AtomicLong bytes = new AtomicLong();

	private final AtomicLong count = new AtomicLong();

	private final BlockingQueue<Append> appends = new ArrayBlockingQueue<>(QUEUE);

	private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();

	/** Durable entries on their way from who appends to who sends. */
	private final ConcurrentMap<Long, Entry> tail = new ConcurrentHashMap<>();

	private final Semaphore tailBytes = new Semaphore(TAIL_BYTES);

	private final Thread writer;

	private long nextNumber;

	private volatile long durable;

	/** Of the writer. */
	private @Nullable Long first;

	/** When the first message was appended. */
	private volatile @Nullable Long oldest;

	private volatile boolean closing;

	/** Nobody writes any more. */
	private volatile boolean ended;

	private volatile @Nullable Exception failure;

	/** Messages that become durable together. */
	private record Append(List<Message> messages, CompletableFuture<List<Entry>> done) {
	}

	/**
	 * Opens the file, or makes it.
	 * @param file of this process alone
	 * @throws SpoolFailedException if another process has it or it cannot be read
	 */
	@SuppressWarnings("this-escape") // The thread begins last.
	FileSpool(Path file, long maxBytes, Durability durability) {
		this.durability = durability;
		this.maxBytes = maxBytes;
		try {
			if (!Files.exists(file)) {
				make(file, durability);
			}
			this.store = new MVStore.Builder().fileName(file.toString())
				.autoCommitDisabled()
				.autoCommitBufferSize(0)
				.cacheSize(CACHE_MEGABYTES)
				.pageSplitSize(64 * 1024)
				.open();
		}
		catch (MVStoreException | IOException ex) {
			throw new SpoolFailedException("The spool %s cannot be opened; does another process have it? (%s)"
				.formatted(file, ex.getMessage()), ex);
		}
		// Space is used again once the commit that frees it is forced, not after a time.
		this.store.setRetentionTime(0);
		this.messages = this.store.openMap("messages");
		this.refusedMessages = this.store.openMap("refused");
		this.nextNumber = restore();
		this.durable = this.nextNumber - 1;
		commit();
		this.writer = Thread.ofPlatform().daemon().name("spool " + file.getFileName()).start(this::write);
	}

	/** Empty. With POWER its name must outlive a loss of power too. */
	private static void make(Path file, Durability durability) throws IOException {
		Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent());
		Files.createDirectories(directory);
		Files.createFile(file);
		if (durability == Durability.POWER) {
			try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
				folder.force(true);
			}
			catch (AccessDeniedException ex) {
				// Windows opens no folders.
				logger.warn("{} is new, and may be gone after a loss of power in the next seconds: {}", file,
						ex.toString());
			}
		}
	}

	/** Counts what is there, and says which number comes next. */
	private long restore() {
		Cursor<Long, byte[]> cursor = this.messages.cursor(null);
		while (cursor.hasNext()) {
			Entry entry = entry(cursor.next(), cursor.getValue());
			this.bytes.addAndGet(entry.bytes());
			this.count.incrementAndGet();
		}
		Cursor<Long, byte[]> refusals = this.refusedMessages.cursor(null);
		while (refusals.hasNext()) {
			this.bytes.addAndGet(refused(refusals.next(), refusals.getValue()).entry().bytes());
		}
		return 1 + Math.max(last(this.messages), last(this.refusedMessages));
	}

	private static long last(MVMap<Long, byte[]> map) {
		Long last = map.lastKey();
		return (last != null) ? last : -1;
	}

	@Override
	public List<Entry> append(List<Message> messages) throws InterruptedException {
		long size = Entry.bytes(messages);
		long before = this.bytes.getAndAdd(size);
		if (before + size > this.maxBytes) {
			this.bytes.addAndGet(-size);
			throw new SpoolFullException(before, this.maxBytes);
		}
		Append append = new Append(List.copyOf(messages), new CompletableFuture<>());
		boolean offered = false;
		try {
			offered = !this.closing && this.appends.offer(append, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		finally {
			if (!offered) {
				this.bytes.addAndGet(-size);
			}
		}
		if (!offered) {
			throw new SpoolFailedException("The spool takes nothing more: it is closed or the disk is stuck");
		}
		if (this.ended) {
			// The writer may have ended between the two.
			failAll(new ArrayList<>());
		}
		try {
			return append.done().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			Exception cause = this.failure;
			throw new SpoolFailedException("What was sent may not be durable: " + ((cause != null) ? cause : ex), ex);
		}
	}

	private void write() {
		List<Append> batch = new ArrayList<>();
		try {
			while (!this.closing || !this.appends.isEmpty() || !this.changes.isEmpty()) {
				batch.clear();
				Append first = this.appends.poll(this.closing ? 0 : SETTLE_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
				if (first != null) {
					batch.add(first);
					this.appends.drainTo(batch);
				}
				boolean changed = change();
				List<List<Entry>> entries = batch.stream().map(this::put).toList();
				if (first != null) {
					commit();
					publish(batch, entries);
				}
				else if (changed) {
					// Forced as well: what it frees may be written over by the next one.
					commit();
					compact();
				}
			}
			this.store.close();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (MVStoreException ex) {
			logger.error("The spool could not be written; nothing more is taken", ex);
			this.failure = ex;
		}
		finally {
			this.closing = true;
			this.ended = true;
			failAll(batch);
			this.store.closeImmediately();
		}
	}

	private void failAll(List<Append> batch) {
		this.appends.drainTo(batch);
		// Those that are done already stay so.
		batch.forEach((append) -> append.done().completeExceptionally(new SpoolFailedException("not written")));
	}

	private List<Entry> put(Append append) {
		return append.messages().stream().map(this::put).toList();
	}

	private Entry put(Message message) {
		long number = this.nextNumber++;
		ByteString id = (message.id() != null) ? message.id() : MemorySpool.id(this.openingId, number);
		Entry entry = new Entry(number, id, message.payload(), System.currentTimeMillis());
		this.messages.append(number, bytes(entry));
		return entry;
	}

	private void publish(List<Append> batch, List<List<Entry>> entries) {
		for (List<Entry> together : entries) {
			for (Entry entry : together) {
				if (this.tailBytes.tryAcquire((int) entry.bytes())) {
					this.tail.put(entry.number(), entry);
				}
			}
			this.count.addAndGet(together.size());
		}
		this.durable = this.nextNumber - 1;
		for (int i = 0; i < batch.size(); i++) {
			batch.get(i).done().complete(entries.get(i));
		}
	}

	private boolean change() {
		boolean changed = false;
		Runnable change = this.changes.poll();
		while (change != null) {
			change.run();
			changed = true;
			change = this.changes.poll();
		}
		return changed;
	}

	/** Read only when it is another one: while the sink is away the first one stays. */
	private void showOldest() {
		Long first = this.messages.firstKey();
		if (!Objects.equals(first, this.first)) {
			this.first = first;
			byte[] value = (first != null) ? this.messages.get(first) : null;
			this.oldest = (value != null) ? ByteBuffer.wrap(value).getLong() : null;
		}
	}

	private void commit() {
		showOldest();
		this.store.commit();
		switch (this.durability) {
			case POWER -> this.store.sync();
			case PROCESS -> {
			}
		}
	}

	private void compact() {
		long size = this.store.getFileStore().size();
		if (size > SMALL_FILE_BYTES && size > 2 * this.bytes.get()) {
			this.store.compact(50, COMPACT_BYTES);
			// What was moved must be durable before its old place is used again.
			commit();
		}
	}

	@Override
	public @Nullable Entry next(long after) {
		Entry known = this.tail.get(after + 1);
		if (known != null && known.number() <= this.durable) {
			return taken(known);
		}
		Long number = this.messages.higherKey(after);
		return (number != null && number <= this.durable) ? get(number) : null;
	}

	@Override
	public boolean hasNext(long after) {
		if (after + 1 <= this.durable && this.tail.containsKey(after + 1)) {
			return true;
		}
		Long number = this.messages.higherKey(after);
		return number != null && number <= this.durable;
	}

	@Override
	public @Nullable Entry get(long number) {
		Entry known = this.tail.get(number);
		if (known != null) {
			return taken(known);
		}
		byte[] value = this.messages.get(number);
		return (value != null) ? entry(number, value) : null;
	}

	/** It is in memory once more only if it has to be sent again. */
	private Entry taken(Entry entry) {
		if (this.tail.remove(entry.number(), entry)) {
			this.tailBytes.release((int) entry.bytes());
		}
		return entry;
	}

	@Override
	public void settle(Collection<Long> numbers) {
		List<Long> settled = List.copyOf(numbers);
		this.changes.add(() -> settled.forEach((number) -> {
			byte[] value = this.messages.remove(number);
			if (value != null) {
				this.count.decrementAndGet();
				this.bytes.addAndGet(-entryBytes(value));
			}
		}));
	}

	@Override
	public void refuse(long number, int code, String description) {
		this.changes.add(() -> {
			byte[] value = this.messages.remove(number);
			if (value != null) {
				this.count.decrementAndGet();
				byte[] words = description.getBytes(StandardCharsets.UTF_8);
				this.refusedMessages.put(number,
						ByteBuffer.allocate(8 + words.length + value.length)
							.putInt(code)
							.putInt(words.length)
							.put(words)
							.put(value)
							.array());
			}
		});
	}

	@Override
	public List<Refused> refused() {
		CompletableFuture<List<Refused>> all = new CompletableFuture<>();
		this.changes.add(() -> all.complete(readRefused()));
		try {
			if (this.closing) {
				throw new SpoolFailedException("The spool is closed or has failed");
			}
			return all.orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).join();
		}
		catch (CompletionException ex) {
			throw new SpoolFailedException("The refused messages cannot be read: " + ex.getCause(), ex);
		}
	}

	private List<Refused> readRefused() {
		List<Refused> all = new ArrayList<>();
		Cursor<Long, byte[]> cursor = this.refusedMessages.cursor(null);
		while (cursor.hasNext()) {
			all.add(refused(cursor.next(), cursor.getValue()));
		}
		return all;
	}

	@Override
	public void discard(long number) {
		this.changes.add(() -> {
			byte[] value = this.refusedMessages.remove(number);
			if (value != null) {
				this.bytes.addAndGet(-refused(number, value).entry().bytes());
			}
		});
	}

	@Override
	public long size() {
		return this.count.get();
	}

	@Override
	public long bytes() {
		return this.bytes.get();
	}

	@Override
	public @Nullable Long oldest() {
		return this.oldest;
	}

	/** When it was appended (8 bytes), the id's length (1), id and payload. */
	private static byte[] bytes(Entry entry) {
		ByteBuffer buffer = ByteBuffer.allocate(ENVELOPE_BYTES + entry.id().size() + entry.payload().length);
		buffer.putLong(entry.appendedAt()).put((byte) entry.id().size());
		entry.id().copyTo(buffer);
		return buffer.put(entry.payload()).array();
	}

	private static Entry entry(long number, byte[] value) {
		int idLength = value[8];
		byte[] payload = new byte[value.length - ENVELOPE_BYTES - idLength];
		System.arraycopy(value, ENVELOPE_BYTES + idLength, payload, 0, payload.length);
		return new Entry(number, ByteString.copyFrom(value, ENVELOPE_BYTES, idLength), payload,
				ByteBuffer.wrap(value).getLong());
	}

	/** As of {@link Entry#bytes()}, without making one. */
	private static long entryBytes(byte[] value) {
		return value.length - ENVELOPE_BYTES + OVERHEAD_BYTES;
	}

	private static Refused refused(long number, byte[] value) {
		ByteBuffer buffer = ByteBuffer.wrap(value);
		int code = buffer.getInt();
		byte[] words = new byte[buffer.getInt()];
		buffer.get(words);
		byte[] rest = new byte[buffer.remaining()];
		buffer.get(rest);
		return new Refused(entry(number, rest), code, new String(words, StandardCharsets.UTF_8));
	}

	/** Writes what was taken and lets the file go. */
	@Override
	public void close() {
		this.closing = true;
		boolean interrupted = false;
		long deadline = System.nanoTime() + TIMEOUT.toNanos();
		while (this.writer.isAlive() && System.nanoTime() - deadline < 0) {
			try {
				this.writer.join(TIMEOUT);
			}
			catch (InterruptedException _) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
