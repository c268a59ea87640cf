package dev.sluice.sink.client.spool;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.Spool.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.sluice.sink.client.spool.Spools.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class FileSpoolTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void keepsMessagesInTheirOrderAcrossOpenings(boolean force) throws Exception {
		try (FileSpool spool = open(force)) {
			for (int i = 0; i < 100; i++) {
				append(spool, id("a" + i), payload(i));
			}
		}

		try (FileSpool spool = open(force)) {
			append(spool, id("b"), payload(100));
			assertThat(spool.size()).isEqualTo(101);
			List<Entry> entries = Spools.entries(spool);
			for (int i = 0; i < entries.size(); i++) {
				assertThat(entries.get(i).payload()).isEqualTo(payload(i));
			}
			assertThat(entries).extracting((entry) -> entry.id().toStringUtf8())
				.hasSize(101)
				.startsWith("a0", "a1", "a2")
				.endsWith("a99", "b");
			assertThat(spool.hasNext(-1)).isTrue();
		}
	}

	@Test
	void knowsWhichOpeningTookAMessageWhateverItsId() throws Exception {
		List<Long> given = new ArrayList<>();
		for (int opening = 0; opening < 3; opening++) {
			try (FileSpool spool = open(false)) {
				Entry named = append(spool, id("named" + opening), payload(1));
				Entry unnamed = append(spool, null, payload(2));
				assertThat(unnamed.session()).isEqualTo(named.session());
				assertThat(unnamed.id()).isEqualTo(Entry.ownId(unnamed.session(), unnamed.number()));
				given.add(named.session());
				given.add(unnamed.session());
			}
		}
		assertThat(new HashSet<>(given)).hasSize(3);

		try (FileSpool spool = open(false)) {
			assertThat(Spools.entries(spool)).extracting(Entry::session).isEqualTo(given);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void givesNoIdAgainWhenItsFileIsPutBackToAnEarlierState(boolean force) throws Exception {
		Path spool = this.directory.resolve("spool");
		Path earlier = this.directory.resolve("earlier");
		ByteString given;
		try (FileSpool open = open(force)) {
			append(open, null, payload(0));
			Spools.copy(spool, earlier);
			given = append(open, null, payload(1)).id();
		}

		Spools.delete(spool);
		Spools.copy(earlier, spool);

		try (FileSpool open = open(force)) {
			assertThat(open.size()).isEqualTo(1);
			assertThat(append(open, null, payload(2)).id()).isNotEqualTo(given);
		}
	}

	@Test
	void refusesWhatDoesNotFitAndTakesItWhenThereIsRoom() throws Exception {
		try (FileSpool spool = new FileSpool(this.directory.resolve("spool"), 3_000, false)) {
			Entry first = append(spool, null, new byte[1_000]);
			append(spool, null, new byte[1_000]);

			assertThatExceptionOfType(SpoolFullException.class).isThrownBy(() -> append(spool, null, new byte[1_000]))
				.withMessageContaining("3000");
			assertThat(spool.size()).isEqualTo(2);

			spool.settle(List.of(first.number()));
			await().untilAsserted(() -> assertThat(spool.size()).isEqualTo(1));
			append(spool, null, new byte[1_000]);
			assertThat(spool.size()).isEqualTo(2);
		}
	}

	@Test
	void takesMessagesFromManyThreads() throws Exception {
		try (FileSpool spool = open(true); ExecutorService threads = Executors.newFixedThreadPool(16)) {
			List<Future<Long>> appended = new ArrayList<>();
			for (int i = 0; i < 800; i++) {
				int number = i;
				appended.add(threads.submit(() -> append(spool, id("t" + number), payload(number)).number()));
			}
			Set<Long> numbers = new HashSet<>();
			for (Future<Long> one : appended) {
				numbers.add(one.get());
			}

			assertThat(numbers).hasSize(800);
			assertThat(spool.size()).isEqualTo(800);
		}
	}

	@Test
	void knowsWhenTheOldestWasAppended() throws Exception {
		try (FileSpool spool = open(false)) {
			assertThat(spool.oldest()).isNull();
			Entry first = append(spool, null, payload(1));
			Entry second = append(spool, null, payload(2));
			assertThat(spool.oldest()).isEqualTo(first.appendedAt());

			spool.settle(List.of(first.number()));
			await().untilAsserted(() -> assertThat(spool.oldest()).isEqualTo(second.appendedAt()));
		}
		try (FileSpool spool = open(false)) {
			assertThat(spool.oldest()).isNotNull();
			spool.settle(List.of(spool.firstUnsettled()));
			await().untilAsserted(() -> assertThat(spool.oldest()).isNull());
		}
	}

	@Test
	void usesTheSpaceOfSettledMessagesAgain() throws Exception {
		Path path = this.directory.resolve("spool");
		try (FileSpool spool = new FileSpool(path, 10_000_000, true)) {
			Entry kept = append(spool, null, new byte[100]);
			List<Message> fifty = Collections.nCopies(50, new Message(null, new byte[100_000]));
			for (int round = 0; round < 15; round++) {
				spool.settle(spool.append(fifty).stream().map(Entry::number).toList());
				if (round == 0) {
					spool.settle(List.of(kept.number()));
				}
			}
			assertThat(Spools.bytes(path)).as("of 75 MB written, 5 MB of them live at once").isLessThan(25_000_000);
			await().untilAsserted(() -> assertThat(spool.size()).isZero());
		}

		assertThat(Spools.bytes(path)).as("of an empty spool").isZero();
	}

	/** The same for any number of messages, except for some bytes of each segment. */
	@Test
	void readsLittleOfWhatIsInItBeforeItGivesTheFirstMessage() throws Exception {
		Path path = this.directory.resolve("spool");
		int segmentBytes = 1_000_000;
		List<Message> ten = Collections.nCopies(10, new Message(null, new byte[10_000]));
		try (FileSpool spool = new FileSpool(path, 100_000_000, false, segmentBytes, FileChannel::open)) {
			for (int i = 0; i < 500; i++) {
				spool.append(ten);
			}
		}
		FaultyDisk disk = new FaultyDisk();

		try (FileSpool spool = new FileSpool(path, 100_000_000, false, segmentBytes, disk)) {
			assertThat(spool.size()).isEqualTo(5_000);
			assertThat(spool.next(-1)).isNotNull();

			assertThat(disk.bytesRead.get()).as("of 50 MB").isBetween(1L, 2L * segmentBytes);
		}
	}

	@Test
	void takesNothingWhenItsFilesAreTwiceAsLargeAsItMayBe() throws Exception {
		Path path = this.directory.resolve("spool");
		try (FileSpool spool = new FileSpool(path, 1_000_000, false)) {
			Entry old = append(spool, null, new byte[100]);
			assertThatExceptionOfType(SpoolFullException.class).isThrownBy(() -> {
				for (int i = 0; i < 40; i++) {
					spool.settle(List.of(append(spool, null, new byte[100_000]).number()));
				}
			}).withMessageContaining("old message").withMessageContaining("of at most 2131072 bytes");
			assertThat(Spools.bytes(path)).isLessThan(2_200_000);

			spool.settle(List.of(old.number()));
			await().untilAsserted(() -> assertThat(Spools.bytes(path)).isLessThan(200_000));
			append(spool, null, new byte[100_000]);
		}
	}

	@Test
	void saysSoWhenItIsInUseOrClosed() throws Exception {
		FileSpool spool = open(false);
		assertThatExceptionOfType(SpoolFailedException.class).isThrownBy(() -> open(false))
			.withMessageContaining("another process");

		spool.close();

		assertThatExceptionOfType(SpoolFailedException.class).isThrownBy(() -> append(spool, null, new byte[1]));
		assertThat(spool.bytes()).isZero();
	}

	@Test
	void makesItsDirectoriesDurableIfMessagesSurviveALossOfPower() {
		FaultyDisk disk = new FaultyDisk();

		open(false, disk).close();
		assertThat(disk.forcedDirectories).isEmpty();

		open(true, disk).close();
		assertThat(disk.forcedDirectories).containsExactly("spool", this.directory.getFileName().toString());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void leavesNoFileOpen(boolean force) throws Exception {
		FaultyDisk disk = new FaultyDisk();
		for (int opening = 0; opening < 2; opening++) {
			try (FileSpool spool = open(force, disk)) {
				for (int i = 0; i < 20; i++) {
					append(spool, null, new byte[10_000]);
				}
				assertThat(spool.next(-1)).isNotNull();
			}
			assertThat(disk.open).hasValue(0);
		}
	}

	@Test
	void keepsNoRoomForMessagesThatItCouldNotWrite() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (FileSpool spool = new FileSpool(this.directory.resolve("spool"), 100_000, true, 1_000_000, disk)) {
			append(spool, id("a"), payload(1));
			disk.failsToForce = true;
			for (int i = 0; i < 30; i++) {
				assertThatExceptionOfType(SpoolFailedException.class)
					.isThrownBy(() -> append(spool, null, new byte[10_000]));
			}

			disk.failsToForce = false;
			append(spool, id("b"), new byte[10_000]);
			assertThat(spool.size()).isEqualTo(2);
		}
	}

	/**
	 * In an earlier version, the positions of a failed write were used for the next one.
	 */
	@Test
	void readsInAnyOrderWhatFollowsAWriteThatFailed() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (FileSpool spool = new FileSpool(this.directory.resolve("spool"), 100_000_000, true, 50_000_000, disk)) {
			append(spool, null, payload(1));
			disk.failsToForce = true;
			Message large = new Message(null, new byte[200_000]);
			assertThatExceptionOfType(SpoolFailedException.class)
				.isThrownBy(() -> spool.append(List.of(large, large, large)));
			disk.failsToForce = false;
			Message smaller = new Message(null, new byte[150_000]);
			spool.append(List.of(smaller, smaller, smaller));
			for (long number = 1; number <= 3; number++) {
				// Takes it from memory, so that the second time it is read from the file.
				assertThat(spool.get(number)).isNotNull();
			}

			assertThat(spool.get(3)).isNotNull();
			assertThat(spool.get(2)).isNotNull();
			assertThat(spool.damaged()).isZero();
		}
	}

	@Test
	void failsForGoodIfItsWriterFails() throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (FileSpool spool = open(true, disk)) {
			append(spool, id("a"), payload(1));
			disk.beforeForce = () -> {
				disk.beforeForce = () -> {
				};
				throw new IllegalStateException("broken");
			};

			assertThatExceptionOfType(SpoolFailedException.class).isThrownBy(() -> append(spool, null, payload(2)))
				.withMessageContaining("may not be durable")
				.withMessageContaining("broken");
			assertThatExceptionOfType(SpoolFailedException.class).isThrownBy(() -> append(spool, null, payload(3)))
				.withMessageContaining("accepts no more");
		}

		try (FileSpool spool = open(true)) {
			assertThat(spool.size()).isEqualTo(1);
		}
	}

	@Test
	void forgetsWhatIsSettledAlsoIfItCrashesSoonAfter() throws Exception {
		Path copy = Files.createDirectory(this.directory.resolve("copy"));
		try (FileSpool spool = open(false)) {
			long settled = append(spool, id("settled"), payload(0)).number();
			append(spool, id("kept"), payload(1));
			spool.settle(List.of(settled));

			await().untilAsserted(() -> {
				Spools.delete(copy);
				Spools.copy(this.directory.resolve("spool"), copy);
				try (FileSpool crashed = new FileSpool(copy, 100_000_000, false)) {
					assertThat(Objects.requireNonNull(crashed.next(-1)).id()).isEqualTo(id("kept"));
					assertThat(crashed.size()).isEqualTo(1);
				}
			});
		}
	}

	@Test
	void closesAlsoIfItsCallerIsInterrupted() throws Exception {
		FileSpool spool = open(false);
		append(spool, id("a"), payload(1));

		Thread.currentThread().interrupt();
		spool.close();
		assertThat(Thread.interrupted()).as("the caller still learns of it").isTrue();

		try (FileSpool again = open(false)) {
			assertThat(again.size()).isEqualTo(1);
		}
		spool.close();
		assertThat(Thread.interrupted()).isFalse();
		assertThatExceptionOfType(SpoolFailedException.class).isThrownBy(() -> append(spool, null, payload(2)))
			.withMessageContaining("is closed");
	}

	@ParameterizedTest
	@CsvSource({ "No space left on device, true", "Disk quota exceeded, true", "Input/output error, false" })
	void tellsAFullDiskFromABrokenOne(String words, boolean full) throws Exception {
		FaultyDisk disk = new FaultyDisk();
		try (FileSpool spool = open(true, disk)) {
			append(spool, id("a"), payload(1));
			disk.failsToWriteOnce = words;

			assertThatExceptionOfType(full ? SpoolFullException.class : SpoolFailedException.class)
				.isThrownBy(() -> append(spool, null, payload(2)))
				.withMessageContaining(full ? "is full" : "will not be sent")
				.withMessageContaining(words);
			append(spool, id("b"), payload(3));
			assertThat(Objects.requireNonNull(spool.get(1)).id()).isEqualTo(id("b"));
		}
	}

	private FileSpool open(boolean force, FaultyDisk disk) {
		return new FileSpool(this.directory.resolve("spool"), 100_000_000, force, 65_536, disk);
	}

	private FileSpool open(boolean force) {
		return new FileSpool(this.directory.resolve("spool"), 100_000_000, force);
	}

	private static ByteString id(String id) {
		return ByteString.copyFromUtf8(id);
	}

	private static byte[] payload(int number) {
		return ("payload " + number).repeat(1 + number % 50).getBytes();
	}

}
