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
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.FileSystemUtils;

import static dev.sluice.sink.client.spool.Spools.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class FileSpoolTests {

	@TempDir
	private Path directory;

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
			FileSystemUtils.copyRecursively(spool, earlier);
			given = append(open, null, payload(1)).id();
		}

		FileSystemUtils.deleteRecursively(spool);
		FileSystemUtils.copyRecursively(earlier, spool);

		try (FileSpool open = open(force)) {
			assertThat(open.size()).isEqualTo(1);
			assertThat(append(open, null, payload(2)).id()).isNotEqualTo(given);
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
	void makesItsDirectoriesDurableIfMessagesSurviveALossOfPower() {
		FaultyDisk disk = new FaultyDisk();

		open(false, disk).close();
		assertThat(disk.forcedDirectories).isEmpty();

		open(true, disk).close();
		assertThat(disk.forcedDirectories).containsExactly("spool", this.directory.getFileName().toString());
	}

	@Test
	void forgetsWhatIsSettledAlsoIfItCrashesSoonAfter() throws Exception {
		Path copy = Files.createDirectory(this.directory.resolve("copy"));
		try (FileSpool spool = open(false)) {
			long settled = append(spool, id("settled"), payload(0)).number();
			append(spool, id("kept"), payload(1));
			spool.settle(List.of(settled));

			await().untilAsserted(() -> {
				FileSystemUtils.deleteRecursively(copy);
				FileSystemUtils.copyRecursively(this.directory.resolve("spool"), copy);
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
