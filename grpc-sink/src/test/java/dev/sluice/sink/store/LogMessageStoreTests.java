package dev.sluice.sink.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.sink.Contents;
import dev.sluice.sink.format.LogFile;
import dev.sluice.sink.format.LogRecord;
import dev.sluice.sink.segment.FaultyDisk;
import dev.sluice.sink.segment.SegmentFormat;
import dev.sluice.sink.segment.SegmentHeader;
import dev.sluice.sink.segment.SegmentReader;
import dev.sluice.sink.segment.SegmentWriter;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.store.LogMessageStore.Damage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class LogMessageStoreTests {

	private static final int SEGMENT_BYTES = 100_000;

	@TempDir
	private Path directory;

	@Test
	void keepsEveryMessageByteForByte() throws Exception {
		Map<String, byte[]> messages = messages(300, 3_000);
		messages.put("large", new byte[3_000_000]);
		messages.put("empty", new byte[0]);

		write(messages);

		assertThat(read()).hasSameSizeAs(messages)
			.allSatisfy((id, payload) -> assertThat(payload).isEqualTo(messages.get(id)));
		assertThat(segments()).hasSizeGreaterThan(1);
	}

	@Test
	void knowsTheLastIdsAgainAndGoesOnBehindThem() throws Exception {
		write(messages(200, 1_000));
		RecentIds recent = new RecentIds(1_000);
		try (LogMessageStore store = open(recent)) {
			store.store(Contents.of("new", new byte[10])).get();
		}

		assertThat(recent.size()).isEqualTo(200);
		assertThat(knows(recent, "id-0")).isTrue();
		assertThat(read()).hasSize(201);
	}

	@Test
	void knowsNoMoreIdsThanTheHorizon() throws Exception {
		write(messages(50, 100));
		RecentIds recent = new RecentIds(20);

		open(recent).close();

		assertThat(recent.size()).isEqualTo(20);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 7, 20, 21, 60 })
	void cutsOffWhatACrashLeftHalfWritten(int missing) throws Exception {
		write(Map.of("a", new byte[40]));
		Path file = segments().getLast();
		long whole = Files.size(file);
		write(Map.of("b", new byte[40]));
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.truncate(channel.size() - missing);
		}
		RecentIds recent = new RecentIds(10);

		open(recent).close();

		assertThat(knows(recent, "a")).isTrue();
		assertThat(knows(recent, "b")).isFalse();
		assertThat(Files.size(file)).isEqualTo(whole);
	}

	@Test
	void cutsOffABatchWithAHoleAndKeepsItBeside() throws Exception {
		write(Map.of("a", new byte[40]));
		Path file = segments().getFirst();
		long forced = Files.size(file);
		long hole;
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			SegmentReader reader = new SegmentReader(channel);
			SegmentWriter writer = SegmentWriter.resume(channel, reader.header().salt(), 1, ByteBuffer.allocate(1_000));
			for (String id : List.of("b", "c", "d", "e")) {
				writer.append(LogRecord.head(0, Contents.of(id, new byte[100]), null, 0), new byte[100]);
			}
			writer.commit(true);
			hole = forced + (Files.size(file) - forced) / 4;
			// The block of "c" was not written when the power failed; later ones were.
			channel.write(ByteBuffer.allocate(50), hole);
		}
		byte[] content = Files.readAllBytes(file);
		RecentIds recent = new RecentIds(10);

		open(recent).close();

		assertThat(Stream.of("a", "b", "c", "d", "e").filter((id) -> knows(recent, id))).containsExactly("a", "b");
		assertThat(this.directory.resolve(file.getFileName() + ".cut"))
			.hasBinaryContent(Arrays.copyOfRange(content, (int) hole, content.length));
		write(Map.of("c", new byte[40]));
		assertThat(read()).containsOnlyKeys("a", "b", "c");
	}

	@Test
	void takesADamagedRecordOfTheLastSegmentForDamageAndKeepsThoseBehindIt() throws Exception {
		for (String id : List.of("a", "b", "c")) {
			write(Map.of(id, new byte[40]));
		}
		Path file = segments().getFirst();
		byte[] content = Files.readAllBytes(file);
		content[content.length / 2] ^= 1;
		Files.write(file, content);

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10)))
			.withMessageContaining("1 records from number 1 on")
			.withMessageContaining("sink.log-damage=continue");
		assertThat(file).as("nothing was changed").hasBinaryContent(content);

		RecentIds recent = new RecentIds(10);
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.CONTINUE,
				Retention.FOR_EVER, recent, sessions())) {
			store.store(Contents.of("d", new byte[40])).get();
		}

		assertThat(knows(recent, "b")).isFalse();
		assertThat(knows(recent, "c")).isTrue();
		assertThat(read()).containsOnlyKeys("a", "c", "d");
	}

	/** With any bit flipped, and with the file truncated anywhere. */
	@Test
	@Tag("full")
	void findsEveryRecordThatIsWholeAndForced() throws Exception {
		List<Integer> ends = new ArrayList<>();
		for (String id : List.of("a", "b", "c", "d", "e")) {
			write(Map.of(id, new byte[20]));
			ends.add((int) Files.size(segments().getFirst()));
		}
		Path file = segments().getFirst();
		byte[] content = Files.readAllBytes(file);
		for (int at = SegmentHeader.BYTES; at < content.length; at++) {
			byte[] flipped = content.clone();
			flipped[at] ^= (byte) (1 << at % 8);
			Files.write(file, flipped);
			int damaged = at;
			int record = (int) ends.stream().filter((end) -> end <= damaged).count();

			LogRecovery.Recovered found = LogRecovery.recover(this.directory, FileChannel::open, 10, sessions());

			List<String> expected = new ArrayList<>(List.of("a", "b", "c", "d", "e"));
			// The empty note before the first record: there are no sessions.
			boolean note = at < SegmentHeader.BYTES + SegmentFormat.RECORD_HEADER_BYTES;
			if (!note) {
				expected.remove(record);
			}
			assertThat(found.names()).as("bit of byte %d", at)
				.extracting((stored) -> Objects.requireNonNull(stored.name()).id().toStringUtf8())
				.isEqualTo(expected);
			assertThat(found.damages()).as("the last record may be of a batch that was not forced")
				.hasSize((record < 4) ? 1 : 0);
		}
		for (int length = SegmentHeader.BYTES; length < content.length; length++) {
			Files.write(file, Arrays.copyOf(content, length));
			int end = length;
			int whole = (int) ends.stream().filter((each) -> each <= end).count();

			LogRecovery.Recovered found = LogRecovery.recover(this.directory, FileChannel::open, 10, sessions());

			assertThat(found.names()).as("%d bytes", length).hasSize(whole);
			assertThat(found.nextNumber()).isEqualTo(whole);
			assertThat(found.damages()).isEmpty();
		}
	}

	@Test
	void noticesThatASegmentIsMissing() throws Exception {
		for (int i = 0; i < 4; i++) {
			write(Map.of("id-" + i, new byte[SEGMENT_BYTES]));
		}
		List<Path> segments = segments();
		assertThat(segments).hasSizeGreaterThan(3);
		Files.delete(segments.get(1));

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10)))
			.withMessageContaining("no segment between 0000000000-")
			.withMessageContaining(" and 0000000002-");
	}

	@Test
	void noticesThatTheNewestSegmentIsMissing() throws Exception {
		for (int i = 0; i < 3; i++) {
			write(Map.of("id-" + i, new byte[SEGMENT_BYTES]));
		}
		Path newest = segments().getLast();
		Files.delete(newest);

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10)))
			.withMessageContaining("no segment after 0000000002-");

		RecentIds recent = new RecentIds(10);
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.CONTINUE,
				Retention.FOR_EVER, recent, sessions())) {
			store.store(Contents.of("new", new byte[40])).get();
		}
		assertThat(segments()).hasSize(4)
			.last()
			.satisfies((file) -> assertThat(file.getFileName().toString()).startsWith("0000000003-"));
		open(new RecentIds(10)).close();
		assertThat(read()).containsOnlyKeys("id-0", "id-1", "id-2", "new");
	}

	@Test
	void noticesThatASegmentIsShorterThanItWas() throws Exception {
		write(messages(300, 3_000));
		Path first = segments().getFirst();
		try (FileChannel channel = FileChannel.open(first, StandardOpenOption.WRITE)) {
			channel.truncate(SegmentHeader.BYTES);
		}

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10_000)))
			.withMessageContaining(first.getFileName() + " ends before record 0");
	}

	@Test
	void forcesWhatItFindsBeforeItIsKnownAsStored() throws Exception {
		write(messages(300, 3_000));
		FaultyDisk disk = new FaultyDisk();
		disk.failsToForce = true;

		RecentIds recent = new RecentIds(10_000);
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> new LogMessageStore(this.directory,
				SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER, recent, sessions(), disk, System::currentTimeMillis));
		assertThat(recent.size()).isZero();

		disk.failsToForce = false;
		new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER, recent, sessions(), disk,
				System::currentTimeMillis)
			.close();
		assertThat(recent.size()).isEqualTo(300);
		assertThat(disk.forced).containsAll(segments().stream().map((file) -> file.getFileName().toString()).toList());
	}

	@Test
	@Tag("full")
	void opensInMemoryThatDoesNotDependOnTheRecords() throws Exception {
		Map<String, byte[]> large = new HashMap<>();
		for (int i = 0; i < 10; i++) {
			large.put("large-" + i, new byte[3_000_000]);
		}
		write(large);
		write(messages(10_000, 1));

		long before = allocated();
		open(new RecentIds(100)).close();
		LogRecovery.recover(this.directory, FileChannel::open, 100_000, sessions());

		assertThat(allocated() - before).as("of 30 MB").isLessThan(20_000_000);
	}

	private static boolean knows(RecentIds recent, String id) {
		return recent.checksum(RecentIds.Name.of(0, ByteString.copyFromUtf8(id))) != null;
	}

	private static long allocated() {
		return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
	}

	@Test
	@Tag("full")
	void takesMessagesAgainWhenAFullDiskHasRoom() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		RecentIds recent = new RecentIds(0);
		Map<String, byte[]> stored = new HashMap<>();
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE,
				Retention.FOR_EVER, recent, sessions(), disk, System::currentTimeMillis)) {
			for (int round = 0; round < 3; round++) {
				int number = round;
				disk.room = 5_000 + round * 1_234;
				Map<String, CompletableFuture<Integer>> done = new HashMap<>();
				for (int i = 0; i < 50; i++) {
					done.put(round + "-" + i, store.store(Contents.of((round + "-" + i).getBytes(), new byte[1_000])));
				}
				await().until(() -> done.values().stream().allMatch(CompletableFuture::isDone));
				assertThat(store.ready()).isFalse();
				done.forEach((id, each) -> {
					if (!each.isCompletedExceptionally()) {
						stored.put(id, new byte[1_000]);
					}
				});

				disk.room = Long.MAX_VALUE;
				await().until(store::ready);
				store.store(Contents.of(("after-" + number).getBytes(), new byte[10])).get();
				stored.put("after-" + number, new byte[10]);
			}
		}

		assertThat(read()).hasSameSizeAs(stored).containsAllEntriesOf(stored);
		RecentIds known = new RecentIds(1_000);
		open(known).close();
		assertThat(known.size()).isEqualTo(stored.size());
	}

	@Test
	@Tag("full")
	void takesMessagesAgainAfterAForceThatFailed() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE,
				Retention.FOR_EVER, new RecentIds(0), sessions(), disk, System::currentTimeMillis)) {
			store.store(Contents.of("a", new byte[10])).get();
			disk.failsToForce = true;
			CompletableFuture<Integer> lost = store.store(Contents.of("b", new byte[10]));
			await().until(lost::isCompletedExceptionally);

			disk.failsToForce = false;
			await().until(store::ready);
			store.store(Contents.of("c", new byte[10])).get();
		}

		assertThat(read()).containsOnlyKeys("a", "c");
	}

	@Test
	@Tag("full")
	void opensOnAFullDiskAndTakesMessagesWhenThereIsRoom() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		disk.room = 10;
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE,
				Retention.FOR_EVER, new RecentIds(0), sessions(), disk, System::currentTimeMillis)) {
			assertThat(store.ready()).isFalse();
			assertThat(store.store(Contents.of("a", new byte[10]))).isCompletedExceptionally();

			disk.room = Long.MAX_VALUE;
			await().until(store::ready);
			store.store(Contents.of("a", new byte[10])).get();
		}

		assertThat(read()).containsOnlyKeys("a");
	}

	private LogMessageStore open(RecentIds recent) {
		return new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER, recent,
				sessions());
	}

	@Test
	void doesNotTakeADamagedFileInTheMiddleForItsEnd() throws Exception {
		write(messages(300, 3_000));
		Path first = segments().getFirst();
		byte[] content = Files.readAllBytes(first);
		content[content.length / 2] ^= 1;
		Files.write(first, content);

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10_000)))
			.withMessageContaining(first.getFileName().toString());
	}

	@Test
	void takesNothingOnceItIsClosed() throws Exception {
		LogMessageStore store = open(new RecentIds(10));
		store.close();

		assertThat(store.ready()).isFalse();
		assertThat(store.store(Contents.of("a", new byte[1]))).isCompletedExceptionally();
	}

	@Test
	void losesOnlyTheRecordsInAFirstBlockThatIsLost() throws Exception {
		try (LogMessageStore store = open(new RecentIds(0))) {
			for (int i = 0; i < 300; i++) {
				store.store(Contents.of("id-" + i, new byte[1_000])).get();
			}
		}
		List<Path> segments = segments();
		assertThat(segments).hasSizeGreaterThan(2);
		for (Path file : List.of(segments.get(1), segments.getLast())) {
			zero(file, 4_096);
		}

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(1_000)))
			.withMessageContaining("at byte 36 of " + segments.get(1).getFileName())
			.withMessageContaining("at byte 36 of " + segments.getLast().getFileName());

		RecentIds recent = new RecentIds(1_000);
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.CONTINUE,
				Retention.FOR_EVER, recent, sessions())) {
			store.store(Contents.of("new", new byte[10])).get();
		}
		assertThat(recent.size()).as("four records and a part of the next were in each block").isEqualTo(300 - 2 * 4);
		assertThat(segments()).isEqualTo(segments);

		RecentIds again = new RecentIds(1_000);
		new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.CONTINUE, Retention.FOR_EVER, again, sessions())
			.close();
		assertThat(again.size()).as("also what was written behind it").isEqualTo(300 - 2 * 4 + 1);
	}

	@Test
	void losesNothingWhereOnlyTheHeaderIsLost() throws Exception {
		write(messages(300, 3_000));
		write(Map.of("last", new byte[10]));
		for (Path file : segments()) {
			zero(file, SegmentHeader.BYTES);
		}
		RecentIds recent = new RecentIds(1_000);

		open(recent).close();

		assertThat(recent.size()).isEqualTo(301);
	}

	@Test
	void goesOnBehindSegmentsOfAnEarlierVersion() throws Exception {
		write(messages(300, 3_000));
		List<Path> segments = segments();
		for (Path file : segments) {
			String name = file.getFileName().toString();
			Files.move(file, file.resolveSibling(name.substring(0, 10) + ".log"));
		}
		for (int i = 0; i < 5; i++) {
			write(Map.of("new-" + i, new byte[SEGMENT_BYTES]));
		}
		RecentIds recent = new RecentIds(1_000);

		open(recent).close();

		assertThat(recent.size()).isEqualTo(305);
		assertThat(segments()).hasSizeGreaterThan(segments.size() + 3);
		zero(segments().getFirst(), 4_096);
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(1_000)))
			.withMessageContaining("0000000000.log does not begin with a segment's header");
	}

	/** States in which a crash can leave a file that was being created. */
	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 35 })
	void makesASegmentAgainThatWasBeingMade(int bytes) throws Exception {
		write(messages(300, 3_000));
		SegmentHeader header = new SegmentHeader(1, 300, 2);
		Path begun = LogFile.of(this.directory, segments().size(), header).path();
		Files.write(begun, new byte[bytes]);

		write(Map.of("new", new byte[10]));

		assertThat(segments()).last().isEqualTo(begun);
		assertThat(read()).hasSize(301);
	}

	@Test
	@Tag("full")
	void leavesNoSecondFileOfASegmentThatCouldNotBeMade() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE,
				Retention.FOR_EVER, new RecentIds(0), sessions(), disk, System::currentTimeMillis)) {
			disk.room = SEGMENT_BYTES + 1_000;
			assertThat(store.store(Contents.of("a", new byte[SEGMENT_BYTES]))).succeedsWithin(Duration.ofSeconds(10));
			disk.room = 10;
			await().until(() -> !store.ready() || segments().size() > 1);
			disk.room = Long.MAX_VALUE;
			await().until(store::ready);
			store.store(Contents.of("b", new byte[10])).get();
		}

		assertThat(LogFile.list(this.directory)).extracting(LogFile::number).doesNotHaveDuplicates();
		open(new RecentIds(0)).close();
		assertThat(read()).containsOnlyKeys("a", "b");
	}

	/** A force that waits until the test lets it go on. */
	private static final class Forces {

		private final CountDownLatch began = new CountDownLatch(1);

		private final CountDownLatch goesOn = new CountDownLatch(1);

		Forces(FaultyDisk disk) {
			disk.beforeForce = () -> {
				this.began.countDown();
				awaitUninterruptibly(this.goesOn);
			};
		}

		/** Begins to force a message, and returns while it does. */
		CompletableFuture<Integer> begin(LogMessageStore store) {
			CompletableFuture<Integer> first = store.store(Contents.of("first", new byte[1]));
			awaitUninterruptibly(this.began);
			return first;
		}

		void goOn() {
			this.goesOn.countDown();
		}

		private static void awaitUninterruptibly(CountDownLatch latch) {
			try {
				assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@Test
	void refusesWhatItsQueueHasNoRoomForAndStoresTheRest() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		List<CompletableFuture<Integer>> waiting = new ArrayList<>();
		try (LogMessageStore store = open(disk)) {
			Forces forces = new Forces(disk);
			waiting.add(forces.begin(store));
			for (int i = 0; i < 20_000; i++) {
				waiting.add(store.store(Contents.of("id-" + i, new byte[1])));
			}

			assertThat(store.store(Contents.of("more", new byte[1]))).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withMessageContaining("Too many messages wait");
			assertThat(waiting).noneMatch(CompletableFuture::isDone);
			forces.goOn();
			await().until(() -> waiting.stream().allMatch(CompletableFuture::isDone));
		}

		assertThat(waiting).noneMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(read()).hasSize(20_001).doesNotContainKey("more");
	}

	@ParameterizedTest
	@CsvSource({ "4000, 1", "4001, 2" })
	void forcesFourThousandMessagesAtOnce(int messages, int forced) throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore store = new LogMessageStore(this.directory, 100_000_000, Damage.REFUSE, Retention.FOR_EVER,
				new RecentIds(0), sessions(), disk, System::currentTimeMillis)) {
			Forces forces = new Forces(disk);
			forces.begin(store);
			List<CompletableFuture<Integer>> waiting = new ArrayList<>();
			for (int i = 0; i < messages; i++) {
				waiting.add(store.store(Contents.of("id-" + i, new byte[1])));
			}
			int before = disk.forced.size();
			forces.goOn();

			await().until(() -> waiting.stream().allMatch(CompletableFuture::isDone));
			assertThat(disk.forced).hasSize(before + 1 + forced);
		}
	}

	@Test
	void writesWhatItHasBeforeItCloses() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		LogMessageStore store = open(disk);
		Forces forces = new Forces(disk);
		CompletableFuture<Integer> first = forces.begin(store);
		CompletableFuture<Integer> second = store.store(Contents.of("second", new byte[1]));
		Thread closes = Thread.ofPlatform().start(() -> {
			try {
				store.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		await().until(() -> closes.getState() == Thread.State.TIMED_WAITING);
		assertThat(second).isNotDone();

		forces.goOn();

		closes.join();
		assertThat(first).isCompletedWithValue(0);
		assertThat(second).isCompletedWithValue(0);
		assertThat(read()).containsOnlyKeys("first", "second");
	}

	@Test
	@Tag("full")
	void refusesWhatWaitsBehindAForceThatFails() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore store = open(disk)) {
			Forces forces = new Forces(disk);
			CompletableFuture<Integer> first = forces.begin(store);
			CompletableFuture<Integer> second = store.store(Contents.of("second", new byte[1]));
			disk.failsToForce = true;
			forces.goOn();

			for (CompletableFuture<Integer> each : List.of(first, second)) {
				assertThat(each).failsWithin(Duration.ofSeconds(10))
					.withThrowableThat()
					.withMessageContaining("could not be written");
			}
			disk.failsToForce = false;
			await().until(store::ready);
		}

		assertThat(read()).isEmpty();
	}

	@Test
	void looksForExpiredSegmentsEveryMinuteAndKeepsTheNewest() throws Exception {
		AtomicLong clock = new AtomicLong(System.currentTimeMillis());
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE,
				new Retention(Duration.ofHours(1), 0), new RecentIds(0), sessions(), FileChannel::open, clock::get)) {
			store.store(Contents.of("full", new byte[SEGMENT_BYTES])).get();
			await().until(() -> segments().size() == 2);
			storeTwo(store, "a");
			Path oldest = segments().getFirst();
			for (Path segment : segments()) {
				Files.setLastModifiedTime(segment, FileTime.fromMillis(clock.get() - Duration.ofHours(2).toMillis()));
			}

			clock.addAndGet(Duration.ofMinutes(1).toMillis() - 1);
			storeTwo(store, "b");
			assertThat(oldest).exists();

			clock.addAndGet(1);
			storeTwo(store, "c");
			assertThat(oldest).doesNotExist();
			assertThat(segments()).hasSize(1);
		}
	}

	/** The log has looked for expired segments before it stores the second one. */
	private static void storeTwo(LogMessageStore store, String id) throws Exception {
		store.store(Contents.of(id + "-1", new byte[1])).get();
		store.store(Contents.of(id + "-2", new byte[1])).get();
	}

	@Test
	void goesOnIfTheRestOfABatchCannotBeKeptBeside() throws Exception {
		write(Map.of("a", new byte[40]));
		Path file = segments().getLast();
		long whole = Files.size(file);
		Files.write(file, new byte[10], StandardOpenOption.APPEND);
		Files.createDirectory(this.directory.resolve(file.getFileName() + ".cut"));
		FaultyDisk disk = new FaultyDisk();

		open(disk).close();

		assertThat(Files.size(file)).isEqualTo(whole);
		assertThat(disk.open).hasValue(0);
	}

	@Test
	void forcesWhatItHasCutOff() throws Exception {
		write(Map.of("a", new byte[40]));
		Path file = segments().getLast();
		Files.write(file, new byte[10], StandardOpenOption.APPEND);
		FaultyDisk disk = new FaultyDisk();

		open(disk).close();

		assertThat(disk.forced).last().isEqualTo(file.getFileName().toString());
		assertThat(disk.forcedDirectories).as("the file beside").hasSize(1);
	}

	@Test
	void cutsNothingOffAWholeSegment() throws Exception {
		write(Map.of("a", new byte[40]));

		open(new RecentIds(10)).close();

		try (Stream<Path> files = Files.list(this.directory)) {
			assertThat(files).noneMatch((file) -> file.toString().endsWith(".cut"));
		}
	}

	@Test
	void makesTheNameOfANewSegmentDurable() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore store = open(disk)) {
			store.store(Contents.of("a", new byte[SEGMENT_BYTES])).get();
			await().until(() -> segments().size() == 2);
		}

		assertThat(disk.forcedDirectories).containsOnly(this.directory.getFileName().toString()).hasSize(2);
	}

	/**
	 * Forces that follow that of the message: of the full segment, the next one, and the
	 * end of the full one.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 2, 3, 4 })
	@Tag("full")
	void leavesNoFileOpenAndLosesNothingIfItCannotGoOnToTheNextSegment(int failing) throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore store = open(disk)) {
			AtomicInteger forces = new AtomicInteger();
			disk.beforeForce = () -> disk.failsToForce |= forces.incrementAndGet() == failing;
			store.store(Contents.of("a", new byte[SEGMENT_BYTES])).get();
			await().until(() -> !store.ready());
			assertThat(disk.open).hasValue(1);

			disk.failsToForce = false;
			await().until(store::ready);
			store.store(Contents.of("b", new byte[10])).get();
			assertThat(disk.open).hasValue(1);
		}

		assertThat(disk.open).hasValue(0);
		assertThat(LogFile.list(this.directory)).extracting(LogFile::number).containsExactly(0, 1);
		open(new RecentIds(0)).close();
		assertThat(read()).containsOnlyKeys("a", "b");
	}

	/** Of another log, or of an earlier version. */
	@ParameterizedTest
	@ValueSource(strings = { "0000000001-0000000000000000007-0000000000000001-0000000000000002.log", "0000000001.log" })
	void makesASegmentUnderItsOwnNameIfTheOneThatWasBeingMadeHasAnother(String name) throws Exception {
		write(Map.of("a", new byte[10]));
		Path begun = Files.createFile(this.directory.resolve(name));

		write(Map.of("b", new byte[10]));

		assertThat(begun).doesNotExist();
		assertThat(LogFile.list(this.directory)).extracting(LogFile::number).containsExactly(0, 1);
		assertThat(segments().getLast().getFileName().toString()).startsWith("0000000001-0000000000000000001-");
		assertThat(read()).containsOnlyKeys("a", "b");
	}

	@Test
	void readsNoMoreSegmentsThanItNeeds() throws Exception {
		for (int i = 0; i < 6; i++) {
			write(Map.of("id-" + i, new byte[SEGMENT_BYTES]));
		}
		List<String> names = segments().stream().map((file) -> file.getFileName().toString()).toList();
		FaultyDisk disk = new FaultyDisk();

		LogRecovery.Recovered found = LogRecovery.recover(this.directory, disk, 2, sessions());

		assertThat(found.names()).extracting((stored) -> Objects.requireNonNull(stored.name()).id().toStringUtf8())
			.containsExactly("id-4", "id-5");
		assertThat(disk.forced).as("the last one is empty").containsExactly(names.get(6), names.get(5), names.get(4));
		assertThat(disk.open).hasValue(0);
		disk.forced.clear();
		LogRecovery.recover(this.directory, disk, 0, sessions());
		assertThat(disk.forced).containsExactly(names.get(6));
	}

	@Test
	void keepsTheRestOfDamagedBatchesThatAnotherOneFollows() throws Exception {
		write(Map.of("a", new byte[40]));
		Path file = segments().getFirst();
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			SegmentReader reader = new SegmentReader(channel);
			SegmentWriter writer = SegmentWriter.resume(channel, reader.header().salt(), 1, ByteBuffer.allocate(1_000));
			List<Long> damaged = new ArrayList<>();
			for (List<String> batch : List.of(List.of("b", "c", "d"), List.of("e", "f", "g"), List.of("h"))) {
				for (String id : batch) {
					if (id.equals("c") || id.equals("f")) {
						damaged.add(writer.position());
					}
					writer.append(LogRecord.head(0, Contents.of(id, new byte[100]), null, 0), new byte[100]);
				}
				writer.commit(true);
			}
			for (long at : damaged) {
				channel.write(ByteBuffer.allocate(10), at);
			}
		}

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10)))
			.withMessageContaining("lost: 1 records from number 2 on")
			.withMessageContaining("; 1 records from number 5 on");

		RecentIds recent = new RecentIds(10);
		new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.CONTINUE, Retention.FOR_EVER, recent, sessions())
			.close();
		assertThat(Stream.of("a", "b", "c", "d", "e", "f", "g", "h").filter((id) -> knows(recent, id)))
			.containsExactly("a", "b", "d", "e", "g", "h");
	}

	@Test
	void noticesThatTheEndOfASegmentIsDamaged() throws Exception {
		write(Map.of("a", new byte[SEGMENT_BYTES]));
		Path first = segments().getFirst();
		byte[] content = Files.readAllBytes(first);
		content[content.length - 1] ^= 1;
		Files.write(first, content);

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10)))
			.withMessageContaining("lost: %d bytes at the end of %s".formatted(SegmentFormat.RECORD_HEADER_BYTES,
					first.getFileName()));
	}

	@Test
	void noticesThatThereAreTwoFilesOfASegment() throws Exception {
		write(Map.of("a", new byte[SEGMENT_BYTES]));
		Path first = segments().getFirst();
		Path other = LogFile.of(this.directory, 0, new SegmentHeader(1, 0, 2)).path();
		Files.copy(first, other);

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> open(new RecentIds(10)))
			.withMessageContaining("two files of one segment")
			.withMessageContaining(first.getFileName().toString())
			.withMessageContaining(other.getFileName().toString());
	}

	private LogMessageStore open(FaultyDisk disk) {
		return new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER, new RecentIds(0),
				sessions(), disk, System::currentTimeMillis);
	}

	private static void zero(Path file, int bytes) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.allocate(bytes), 0);
		}
	}

	private List<Path> segments() throws IOException {
		return LogFile.list(this.directory).stream().map(LogFile::path).toList();
	}

	private static Map<String, byte[]> messages(int count, int maxBytes) {
		Random random = new Random(count);
		Map<String, byte[]> messages = new HashMap<>();
		for (int i = 0; i < count; i++) {
			byte[] payload = new byte[random.nextInt(maxBytes)];
			random.nextBytes(payload);
			messages.put("id-" + i, payload);
		}
		return messages;
	}

	private void write(Map<String, byte[]> messages) throws Exception {
		try (LogMessageStore store = open(new RecentIds(0))) {
			List<CompletableFuture<Integer>> done = new ArrayList<>();
			messages.forEach((id, payload) -> done.add(store.store(Contents.of(id.getBytes(), payload))));
			for (CompletableFuture<Integer> one : done) {
				one.get();
			}
		}
	}

	private Map<String, byte[]> read() throws IOException {
		Map<String, byte[]> found = new HashMap<>();
		for (Path file : segments()) {
			try (FileChannel channel = FileChannel.open(file)) {
				SegmentReader reader = new SegmentReader(channel);
				SegmentReader.Next next = reader.next();
				while (!(next instanceof SegmentReader.End)) {
					if (next instanceof SegmentReader.Whole whole && whole.numbered()) {
						LogRecord record = LogRecord.read(reader, whole);
						String id = record.id().toStringUtf8();
						assertThat(found.put(id, record.payload(reader, whole))).as(id).isNull();
					}
					next = reader.next();
				}
			}
		}
		return found;
	}

	private static KnownSessions sessions() {
		return new KnownSessions(100, Duration.ofDays(6));
	}

}
