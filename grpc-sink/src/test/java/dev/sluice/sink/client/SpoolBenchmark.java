package dev.sluice.sink.client;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.sluice.sink.segment.QueueReader;
import dev.sluice.sink.segment.SegmentQueue;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * Compares embedded stores as a spool: how many messages per second are appended, read
 * and removed. Not a test. Many threads append and wait until their message is durable;
 * one thread writes their messages as a group, together with the removals; one reads each
 * message, in order, and has it removed.
 * <p>
 * SQLite's driver is on the class path with {@code -Pspool-benchmark}.
 */
final class SpoolBenchmark {

	private static final int QUEUE = 1_024;

	/** Log-normal sizes, 29 kB on average. */
	private static final int LEAST_BYTES = 2_000;

	private static final int GREATEST_BYTES = 200_000;

	private static final double MU = 9.8;

	private static final double SIGMA = 1;

	private static final int PAYLOADS = 1_000;

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	private static final Path IO = Path.of("/proc/self/io");

	private final List<byte[]> payloads = new ArrayList<>();

	private SpoolBenchmark() {
		Random random = new Random(42);
		for (int i = 0; i < PAYLOADS; i++) {
			byte[] payload = new byte[(int) Math.clamp(Math.exp(MU + SIGMA * random.nextGaussian()), LEAST_BYTES,
					GREATEST_BYTES)];
			random.nextBytes(payload);
			this.payloads.add(payload);
		}
	}

	/**
	 * Arguments: seconds of each run (default 5), the directory for the files, and the
	 * names of the stores, separated by commas.
	 */
	public static void main(String[] args) throws Exception {
		Duration length = Duration.ofSeconds((args.length > 0) ? Long.parseLong(args[0]) : 5);
		List<String> stores = List.of(((args.length > 2) ? args[2] : "segments,mvstore,sqlite").split(","));
		Path parent = Path.of((args.length > 1) ? args[1] : "target");
		SpoolBenchmark benchmark = new SpoolBenchmark();
		System.out.printf("%-8s %-7s %7s %12s %17s%n", "store", "forced", "threads", "messages/s", "written per byte");
		for (Durability durability : Durability.values()) {
			for (int threads : new int[] { 16, 64 }) {
				for (String store : stores) {
					Path directory = Files.createTempDirectory(parent, "spool-benchmark-");
					try (Candidate candidate = switch (store) {
						case "segments" -> new Segments(directory, durability);
						case "mvstore" -> new MvStore(directory, durability);
						default -> new Sqlite(directory, durability);
					}) {
						benchmark.run(candidate, threads, WARM_UP);
						Rate rate = benchmark.run(candidate, threads, length);
						System.out.printf("%-8s %-7s %7d %,12.0f %17.1f%n", store, durability == Durability.POWER,
								threads, rate.messagesPerSecond(), rate.writtenPerByte());
					}
					delete(directory);
				}
			}
		}
	}

	/** Runs once, and then removes the remaining messages. */
	private Rate run(Candidate candidate, int threads, Duration length) throws Exception {
		BlockingQueue<Append> appends = new ArrayBlockingQueue<>(QUEUE);
		BlockingQueue<Long> durable = new LinkedBlockingQueue<>();
		Queue<Long> read = new ConcurrentLinkedQueue<>();
		AtomicBoolean over = new AtomicBoolean();
		AtomicLong bytes = new AtomicLong();
		long writtenBefore = written();
		long start = System.nanoTime();
		long messages = 0;
		try (ExecutorService executor = Executors.newCachedThreadPool()) {
			List<Future<Long>> senders = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int first = i;
				senders.add(executor.submit(() -> send(appends, first, over, bytes)));
			}
			Future<?> writer = executor.submit(() -> write(candidate, appends, durable, read));
			Future<?> reader = executor.submit(() -> read(candidate, durable, read));
			TimeUnit.NANOSECONDS.sleep(length.toNanos());
			over.set(true);
			for (Future<Long> sender : senders) {
				messages += sender.get();
			}
			appends.put(Append.LAST);
			writer.get();
			reader.get();
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		candidate.commit(List.of(), read);
		return new Rate(messages / seconds, (double) (written() - writtenBefore) / bytes.get());
	}

	private long send(BlockingQueue<Append> appends, int first, AtomicBoolean over, AtomicLong bytes)
			throws InterruptedException, ExecutionException {
		long sent = 0;
		while (!over.get()) {
			byte[] payload = this.payloads.get((int) ((first + sent) % PAYLOADS));
			Append append = new Append(payload, new CompletableFuture<>());
			appends.put(append);
			append.done().get();
			bytes.addAndGet(payload.length);
			sent++;
		}
		return sent;
	}

	private static Void write(Candidate candidate, BlockingQueue<Append> appends, BlockingQueue<Long> durable,
			Queue<Long> read) throws Exception {
		List<Append> group = new ArrayList<>();
		boolean last = false;
		while (!last) {
			group.clear();
			group.add(appends.take());
			appends.drainTo(group);
			last = group.remove(Append.LAST);
			List<Long> removals = new ArrayList<>();
			for (Long number = read.poll(); number != null; number = read.poll()) {
				removals.add(number);
			}
			long first = candidate.commit(group.stream().map(Append::payload).toList(), removals);
			for (int i = 0; i < group.size(); i++) {
				durable.add(first + i);
				group.get(i).done().complete(null);
			}
		}
		durable.add(-1L);
		return null;
	}

	private static Void read(Candidate candidate, BlockingQueue<Long> durable, Queue<Long> read) throws Exception {
		for (long number = durable.take(); number >= 0; number = durable.take()) {
			if (candidate.get(number).length < LEAST_BYTES) {
				throw new IllegalStateException("Message %d is not what was written".formatted(number));
			}
			read.add(number);
		}
		return null;
	}

	/**
	 * Bytes that this process has written to the disk so far; 0 if Linux does not report
	 * them.
	 */
	private static long written() throws IOException {
		try (Stream<String> lines = Files.exists(IO) ? Files.lines(IO) : Stream.empty()) {
			return lines.filter((line) -> line.startsWith("write_bytes: "))
				.mapToLong((line) -> Long.parseLong(line.substring("write_bytes: ".length())))
				.sum();
		}
	}

	private static void delete(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	private record Append(byte[] payload, CompletableFuture<Void> done) {

		static final Append LAST = new Append(new byte[0], new CompletableFuture<>());

	}

	private record Rate(double messagesPerSecond, double writtenPerByte) {
	}

	/** A store: one thread commits while another reads. */
	private interface Candidate extends AutoCloseable {

		/**
		 * Adds and removes; durable when it returns.
		 * @return the number of the first message added
		 */
		long commit(List<byte[]> added, Collection<Long> removed) throws Exception;

		byte[] get(long number) throws Exception;

		@Override
		void close() throws Exception;

	}

	/** As in {@link FileSpool}, without the entries that it keeps in memory. */
	private static final class Segments implements Candidate {

		private static final long SEGMENT_BYTES = 64 * 1024 * 1024;

		private final SegmentQueue queue;

		private final QueueReader reader;

		Segments(Path directory, Durability durability) throws IOException {
			this.queue = new SegmentQueue(directory, 1, SEGMENT_BYTES, durability == Durability.POWER,
					FileChannel::open);
			this.reader = this.queue.reader();
		}

		@Override
		public long commit(List<byte[]> added, Collection<Long> removed) throws IOException {
			removed.forEach(this.queue::settle);
			this.queue.begin();
			long first = this.queue.nextNumber();
			for (byte[] payload : added) {
				this.queue.append(payload);
			}
			this.queue.commit();
			this.queue.deleteSettled(false);
			return first;
		}

		@Override
		public byte[] get(long number) throws IOException {
			return Objects.requireNonNull(this.reader.read(number));
		}

		@Override
		public void close() throws IOException {
			this.reader.close();
			this.queue.close();
		}

	}

	/** As in an earlier version of the spool. */
	private static final class MvStore implements Candidate {

		private final MVStore store;

		private final MVMap<Long, byte[]> messages;

		private final boolean forced;

		private long next;

		MvStore(Path directory, Durability durability) {
			this.forced = durability == Durability.POWER;
			this.store = new MVStore.Builder().fileName(directory.resolve("spool").toString())
				.autoCommitDisabled()
				.autoCommitBufferSize(0)
				.cacheSize(16)
				.pageSplitSize(64 * 1024)
				.open();
			this.store.setRetentionTime(0);
			this.messages = this.store.openMap("messages");
		}

		@Override
		public long commit(List<byte[]> added, Collection<Long> removed) {
			long first = this.next;
			removed.forEach(this.messages::remove);
			added.forEach((payload) -> this.messages.append(this.next++, payload));
			this.store.commit();
			if (this.forced) {
				this.store.sync();
			}
			return first;
		}

		@Override
		public byte[] get(long number) {
			return this.messages.get(number);
		}

		@Override
		public void close() {
			this.store.close();
		}

	}

	/** With a write-ahead log, forced at each commit or left to the operating system. */
	private static final class Sqlite implements Candidate {

		private final Connection writer;

		private final Connection reader;

		private final PreparedStatement insert;

		private final PreparedStatement delete;

		private final PreparedStatement select;

		private long next;

		Sqlite(Path directory, Durability durability) throws SQLException {
			String url = "jdbc:sqlite:" + directory.resolve("spool");
			this.writer = DriverManager.getConnection(url);
			this.reader = DriverManager.getConnection(url);
			try (Statement statement = this.writer.createStatement()) {
				statement.execute("PRAGMA journal_mode=WAL");
				statement.execute("PRAGMA synchronous=" + ((durability == Durability.POWER) ? "FULL" : "NORMAL"));
				statement.execute("CREATE TABLE message (number INTEGER PRIMARY KEY, payload BLOB NOT NULL)");
			}
			this.writer.setAutoCommit(false);
			this.insert = this.writer.prepareStatement("INSERT INTO message VALUES (?, ?)");
			this.delete = this.writer.prepareStatement("DELETE FROM message WHERE number = ?");
			this.select = this.reader.prepareStatement("SELECT payload FROM message WHERE number = ?");
		}

		@Override
		public long commit(List<byte[]> added, Collection<Long> removed) throws SQLException {
			long first = this.next;
			for (long number : removed) {
				this.delete.setLong(1, number);
				this.delete.addBatch();
			}
			this.delete.executeBatch();
			for (byte[] payload : added) {
				this.insert.setLong(1, this.next++);
				this.insert.setBytes(2, payload);
				this.insert.addBatch();
			}
			this.insert.executeBatch();
			this.writer.commit();
			return first;
		}

		@Override
		public byte[] get(long number) throws SQLException {
			this.select.setLong(1, number);
			try (ResultSet found = this.select.executeQuery()) {
				found.next();
				return found.getBytes(1);
			}
		}

		@Override
		public void close() throws SQLException {
			this.reader.close();
			this.writer.close();
		}

	}

}
