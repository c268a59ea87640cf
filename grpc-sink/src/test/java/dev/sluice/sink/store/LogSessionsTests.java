package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.sink.Contents;
import dev.sluice.sink.RestlessClient;
import dev.sluice.sink.format.LogFile;
import dev.sluice.sink.format.LogRecord;
import dev.sluice.sink.segment.FaultyDisk;
import dev.sluice.sink.segment.SegmentReader;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.ContentDiffersException;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionForgottenException;
import dev.sluice.sink.store.LogMessageStore.Damage;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import dev.sluice.sink.store.OnceStore.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LogSessionsTests {

	private static final int SEGMENT_BYTES = 20_000;

	private static final ClientSession SESSION = session("session-a");

	@TempDir
	private Path directory;

	@Test
	void knowsARepeatOverSegmentsAndRestarts() throws Exception {
		try (LogMessageStore log = open()) {
			for (int i = 1; i <= 500; i++) {
				assertThat(store(log, SESSION, i)).isEqualTo(Outcome.STORED);
			}
		}
		assertThat(segments()).hasSizeGreaterThan(2);

		try (LogMessageStore log = open()) {
			assertThat(store(log, SESSION, 1)).isEqualTo(Outcome.REPEATED);
			assertThat(store(log, SESSION, 500)).isEqualTo(Outcome.REPEATED);
			assertThat(store(log, SESSION, 501)).isEqualTo(Outcome.STORED);
			assertThat(store(log, session("session-b"), 1)).isEqualTo(Outcome.STORED);
		}
	}

	@Test
	void refusesAnotherMessageWithAKnownSequenceAlsoAfterARestart() throws Exception {
		try (LogMessageStore log = open()) {
			store(log, SESSION, 1);
			assertThat(log.store(new Place(SESSION, 1), Contents.of("id-1", "other".getBytes())))
				.failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(ContentDiffersException.class);
		}
		try (LogMessageStore log = open()) {
			assertThat(log.store(new Place(SESSION, 1), Contents.of("id-2", payload(1))))
				.failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(ContentDiffersException.class);
		}
		assertThat(stored()).hasSize(1);
	}

	@Test
	@Tag("full")
	void takesAgainWhatCouldNotBeWritten() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore log = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER,
				new RecentIds(10), new KnownSessions(10, Duration.ofDays(1)), disk, () -> 0)) {
			store(log, SESSION, 1);
			disk.failsToForce = true;
			CompletableFuture<Outcome> lost = log.store(new Place(SESSION, 2), Contents.of("id-2", payload(2)));
			await().until(lost::isCompletedExceptionally);

			disk.failsToForce = false;
			await().until(log::ready);
			assertThat(store(log, SESSION, 2)).isEqualTo(Outcome.STORED);
		}
		assertThat(stored()).hasSize(2);
	}

	@Test
	void notesTheSessionsAgainWhereTheLastSegmentWasBeingMade() throws Exception {
		try (LogMessageStore log = open()) {
			store(log, SESSION, 1);
			log.store(Contents.of("full", new byte[SEGMENT_BYTES])).get();
			await().until(() -> segments().size() == 2);
		}
		Path last = segments().getLast();
		long records = records(last);
		assertThat(records).as("the segment has notes alone").isZero();
		try (FileChannel file = FileChannel.open(last, StandardOpenOption.WRITE)) {
			// A crash before its first force.
			file.truncate(file.size() - 30);
		}
		Path before = segments().getFirst();
		try (FileChannel file = FileChannel.open(before, StandardOpenOption.WRITE)) {
			// The segment before has no end either.
			file.truncate(file.size() - 24);
		}

		try (LogMessageStore log = open()) {
			assertThat(store(log, SESSION, 1)).isEqualTo(Outcome.REPEATED);
			assertThat(store(log, SESSION, 1_000)).isEqualTo(Outcome.STORED);
		}
		try (LogMessageStore log = open()) {
			assertThat(store(log, SESSION, 1)).isEqualTo(Outcome.REPEATED);
			assertThat(store(log, SESSION, 1_000)).isEqualTo(Outcome.REPEATED);
		}
	}

	@Test
	void storesNothingOfAStreamBehindWhatCouldNotBeStored() throws Exception {
		try (LogMessageStore log = open()) {
			Fence fence = new Fence();
			fence.close();

			assertThat(log.store(new Place(SESSION, 2, fence), Contents.of("id-2", payload(2))))
				.failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(StoreUnavailableException.class);
			assertThat(store(log, SESSION, 1)).isEqualTo(Outcome.STORED);
			assertThat(store(log, SESSION, 2)).isEqualTo(Outcome.STORED);
		}
	}

	@Test
	void refusesASessionThatItHasNoRoomFor() throws Exception {
		try (LogMessageStore log = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER,
				new RecentIds(10), new KnownSessions(1, Duration.ofDays(1)))) {
			store(log, SESSION, 1);
			Fence fence = new Fence();

			assertThat(log.store(new Place(session("session-b"), 1, fence), Contents.of("id", payload(1))))
				.failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(StoreUnavailableException.class)
				.withMessageContaining("sink.max-sessions");
			assertThat(fence.isClosed()).isTrue();
			assertThat(store(log, SESSION, 2)).isEqualTo(Outcome.STORED);
		}
		assertThat(stored()).hasSize(2);
	}

	@Test
	void saysThatASessionMayBeForgotten() throws Exception {
		try (LogMessageStore log = open()) {
			ClientSession old = new ClientSession(ByteString.copyFromUtf8("session-old"), 1,
					Duration.ofDays(1).toMillis() + 1);

			assertThat(log.store(new Place(old, 7), Contents.of("id", payload(1)))).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(SessionForgottenException.class);
		}
		assertThat(stored()).isEmpty();
	}

	@Test
	void storesNothingThatHasToWaitForOlderMessages() throws Exception {
		try (LogMessageStore log = open()) {
			List<CompletableFuture<Outcome>> done = new ArrayList<>();
			Fence fence = new Fence();
			for (int i = 1; i <= 60; i++) {
				done.add(log.store(new Place(SESSION, 2 * i, fence), Contents.of("id-" + i, payload(i))));
			}
			await().until(() -> done.stream().allMatch(CompletableFuture::isDone));

			List<CompletableFuture<Outcome>> refused = done.stream()
				.filter(CompletableFuture::isCompletedExceptionally)
				.toList();
			assertThat(refused).hasSizeBetween(1, 20);
			assertThat(refused.getFirst()).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withMessageContaining("Too many older messages");
			assertThat(refused.getLast()).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withMessageContaining("An earlier message of the stream");
			assertThat(fence.isClosed()).isTrue();
			assertThat(stored()).hasSize(60 - refused.size());
		}
	}

	@Test
	void knowsARepeatThatComesTogetherWithItsMessage() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore log = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER,
				new RecentIds(10), new KnownSessions(10, Duration.ofDays(1)), disk, () -> 0)) {
			CountDownLatch forces = new CountDownLatch(1);
			CountDownLatch goesOn = new CountDownLatch(1);
			disk.beforeForce = () -> {
				forces.countDown();
				await().until(() -> goesOn.getCount() == 0);
			};
			log.store(Contents.of("first", new byte[1]));
			await().until(() -> forces.getCount() == 0);
			List<CompletableFuture<Outcome>> together = new ArrayList<>();
			for (int sequence : List.of(1, 1, 2, 1)) {
				together.add(
						log.store(new Place(SESSION, sequence), Contents.of(id(SESSION, sequence), payload(sequence))));
			}
			goesOn.countDown();
			await().until(() -> together.stream().allMatch(CompletableFuture::isDone));
			assertThat(together).extracting(CompletableFuture::join)
				.containsExactly(Outcome.STORED, Outcome.REPEATED, Outcome.STORED, Outcome.REPEATED);

			int before = disk.forced.size();
			assertThat(store(log, SESSION, 1)).isEqualTo(Outcome.REPEATED);
			assertThat(disk.forced).as("nothing was written").hasSize(before);
		}
		assertThat(stored()).containsExactly("first", "session-a-1", "session-a-2");
	}

	@Test
	void closesTheFenceOfAStreamWhoseMessageCouldNotBeWritten() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (LogMessageStore log = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER,
				new RecentIds(10), new KnownSessions(10, Duration.ofDays(1)), disk, () -> 0)) {
			Fence fence = new Fence();
			disk.failsToForce = true;

			assertThat(log.store(new Place(SESSION, 1, fence), Contents.of("id-1", payload(1))))
				.failsWithin(Duration.ofSeconds(10));

			assertThat(fence.isClosed()).isTrue();
			disk.failsToForce = false;
		}
	}

	@Test
	void knowsARepeatWhoseSegmentIsDeleted() throws Exception {
		try (LogMessageStore log = open()) {
			store(log, SESSION, 1);
			log.store(Contents.of("full", new byte[SEGMENT_BYTES])).get();
			await().until(() -> segments().size() == 2);
			store(log, SESSION, 2);
		}
		Path oldest = segments().getFirst();
		Files.setLastModifiedTime(oldest, FileTime.from(Instant.now().minus(Duration.ofDays(2))));

		try (LogMessageStore log = open(new Retention(Duration.ofDays(3), 0))) {
			store(log, SESSION, 3);
			assertThat(oldest).as("younger than 3 days").exists();
		}
		try (LogMessageStore log = open(new Retention(Duration.ofDays(1), 0))) {
			await().until(() -> !Files.exists(oldest));
			assertThat(store(log, SESSION, 1)).isEqualTo(Outcome.REPEATED);
			assertThat(store(log, SESSION, 4)).isEqualTo(Outcome.STORED);
		}
		try (LogMessageStore log = open()) {
			assertThat(store(log, SESSION, 1)).as("after a restart").isEqualTo(Outcome.REPEATED);
		}
		assertThat(stored()).containsExactly("session-a-2", "session-a-3", "session-a-4");
	}

	@Test
	void keepsNoMoreBytesThanItsRetentionButTheNewestSegment() throws Exception {
		int kept = 3 * SEGMENT_BYTES;
		try (LogMessageStore log = open(new Retention(Duration.ZERO, kept))) {
			for (int i = 0; i < 10; i++) {
				int before = (segments().isEmpty()) ? 0 : LogFile.list(this.directory).getLast().number();
				log.store(Contents.of("full-" + i, new byte[SEGMENT_BYTES])).get();
				await().until(() -> LogFile.list(this.directory).getLast().number() > before);
			}
			await().until(() -> segments().stream().mapToLong((file) -> file.toFile().length()).sum() <= kept);
			assertThat(segments()).hasSizeGreaterThan(2);
		}
		open().close();
	}

	/** Three sessions, with random repeats, gaps and restarts. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4 })
	@Tag("full")
	void storesEachMessageOnceWhateverHappens(long seed) throws Exception {
		Random random = new Random(seed);
		List<ClientSession> sessions = List.of(session("session-a"), session("session-b"), session("session-c"));
		Map<ClientSession, Integer> next = new HashMap<>();
		Set<String> acknowledged = new HashSet<>();
		for (int run = 0; run < 6; run++) {
			try (LogMessageStore log = open()) {
				List<CompletableFuture<Outcome>> pending = new ArrayList<>();
				for (int step = 0; step < 300; step++) {
					ClientSession session = sessions.get(random.nextInt(3));
					int newest = next.getOrDefault(session, 1);
					int sequence = (random.nextInt(3) == 0) ? 1 + random.nextInt(newest) : newest;
					next.put(session, Math.max(newest, sequence + 1 + ((random.nextInt(80) == 0) ? 1 : 0)));
					pending.add(log.store(new Place(session, sequence),
							Contents.of(id(session, sequence), payload(sequence))));
					acknowledged.add(new String(id(session, sequence)));
				}
				for (CompletableFuture<Outcome> one : pending) {
					one.get();
				}
			}
		}

		assertThat(stored()).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(acknowledged);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4 })
	@Tag("full")
	void keepsTheOrderOfASessionWhoseStreamsAreLeft(long seed) throws Exception {
		Random random = new Random(seed);
		FaultyDisk disk = new FaultyDisk();
		int messages = 300;
		AtomicInteger faults = new AtomicInteger(2);
		try (LogMessageStore log = new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER,
				new RecentIds(10), new KnownSessions(10, Duration.ofDays(1)), disk, () -> 0)) {
			int failures = new RestlessClient(SESSION, messages, 1, random, (_, place) -> {
				if (faults.get() > 0 && random.nextInt(60) == 0) {
					faults.decrementAndGet();
					disk.failsToForce = true;
				}
				int sequence = (int) place.sequence();
				return log.store(place, Contents.of(id(SESSION, sequence), payload(sequence)))
					.whenComplete((_, failure) -> disk.failsToForce &= failure == null);
			}).run();
			assertThat(failures).isPositive();
		}

		assertThat(stored()).containsExactlyElementsOf(
				IntStream.rangeClosed(1, messages).mapToObj((sequence) -> new String(id(SESSION, sequence))).toList());
	}

	private static Outcome store(LogMessageStore log, ClientSession session, int sequence) throws Exception {
		return log.store(new Place(session, sequence), Contents.of(id(session, sequence), payload(sequence))).get();
	}

	private LogMessageStore open() {
		return open(Retention.FOR_EVER);
	}

	private LogMessageStore open(Retention retention) {
		return new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, retention, new RecentIds(10),
				new KnownSessions(10, Duration.ofDays(1)));
	}

	private static ClientSession session(String name) {
		return new ClientSession(ByteString.copyFromUtf8(name), 1, 0);
	}

	private static byte[] id(ClientSession session, int sequence) {
		return (session.id().toStringUtf8() + "-" + sequence).getBytes();
	}

	private static byte[] payload(int sequence) {
		byte[] payload = new byte[50 + sequence % 100];
		new Random(sequence).nextBytes(payload);
		return payload;
	}

	private List<Path> segments() throws IOException {
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.filter((file) -> file.toString().endsWith(".log")).sorted().toList();
		}
	}

	private static long records(Path segment) throws IOException {
		return ids(segment).size();
	}

	private List<String> stored() throws IOException {
		List<String> all = new ArrayList<>();
		for (Path segment : segments()) {
			all.addAll(ids(segment));
		}
		return all;
	}

	private static List<String> ids(Path segment) throws IOException {
		List<String> ids = new ArrayList<>();
		try (FileChannel channel = FileChannel.open(segment)) {
			SegmentReader reader = new SegmentReader(channel);
			while (reader.next() instanceof SegmentReader.Whole whole) {
				if (whole.numbered()) {
					ids.add(LogRecord.read(reader, whole).id().toStringUtf8());
				}
			}
		}
		return ids;
	}

}
