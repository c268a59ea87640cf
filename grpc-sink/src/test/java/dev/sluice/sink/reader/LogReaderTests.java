package dev.sluice.sink.reader;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.sink.Contents;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.KnownSessions;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.LogMessageStore;
import dev.sluice.sink.store.LogMessageStore.Damage;
import dev.sluice.sink.store.RecentIds;
import dev.sluice.sink.store.Retention;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LogReaderTests {

	private static final int SEGMENT_BYTES = 10_000;

	private static final Duration WAIT = Duration.ofSeconds(10);

	private static final ClientSession SESSION = new ClientSession(ByteString.copyFromUtf8("session-a"), 1, 0);

	@TempDir
	private Path directory;

	@Test
	void readsWhatIsStoredOfEachMessage() throws Exception {
		long before = System.currentTimeMillis();
		try (LogMessageStore log = open()) {
			log.store(Contents.of("a", "key", "hello".getBytes())).get();
			log.store(new Place(SESSION, 7), Contents.of("b", new byte[0])).get();
		}

		List<StoredMessage> read = read();

		assertThat(read).extracting((message) -> message.id().toStringUtf8()).containsExactly("a", "b");
		assertThat(read.getFirst().key().toStringUtf8()).isEqualTo("key");
		assertThat(read.getFirst().payload()).isEqualTo("hello".getBytes());
		assertThat(read.getFirst().session()).isNull();
		assertThat(read.getFirst().storedAt().toEpochMilli()).isBetween(before, System.currentTimeMillis());
		assertThat(read.getLast().key()).isEmpty();
		assertThat(read.getLast().session()).isEqualTo(SESSION.id());
		assertThat(read.getLast().sequence()).isEqualTo(7);
		assertThat(read).extracting(StoredMessage::offset).containsExactly(0L, 1L);
	}

	@Test
	void followsALogThatIsWrittenOverItsSegments() throws Exception {
		try (LogMessageStore log = open(); LogReader reader = new LogReader(this.directory)) {
			assertThat(reader.next(Duration.ZERO)).isNull();
			for (int i = 0; i < 50; i++) {
				log.store(Contents.of("id-" + i, new byte[1_000])).get();

				StoredMessage next = reader.next(WAIT);

				assertThat(next).isNotNull();
				assertThat(next.id().toStringUtf8()).isEqualTo("id-" + i);
			}
			// The writer ends a full segment when it has stored the message.
			await().untilAsserted(() -> {
				assertThat(reader.next(Duration.ZERO)).isNull();
				assertThat(reader.lag()).isZero();
			});
			assertThat(Files.list(this.directory).filter((file) -> file.toString().endsWith(".log")))
				.hasSizeGreaterThan(3);
		}
	}

	@Test
	void saysHowMuchIsNotRead() throws Exception {
		try (LogMessageStore log = open(); LogReader reader = new LogReader(this.directory)) {
			for (int i = 0; i < 30; i++) {
				log.store(Contents.of("id-" + i, new byte[1_000])).get();
			}

			assertThat(reader.lag()).isGreaterThan(30_000);
			for (int i = 0; i < 29; i++) {
				assertThat(reader.next(Duration.ZERO)).isNotNull();
			}
			assertThat(reader.lag()).isBetween(1_000L, 2_000L);
		}
	}

	@Test
	void passesOverWhatIsDamagedAndCountsIt() throws Exception {
		try (LogMessageStore log = open()) {
			for (int i = 0; i < 3; i++) {
				log.store(Contents.of("id-" + i, new byte[1_000])).get();
			}
		}
		Path file = Files.list(this.directory)
			.filter((one) -> one.toString().endsWith(".log"))
			.findFirst()
			.orElseThrow();
		byte[] bytes = Files.readAllBytes(file);
		bytes[bytes.length / 2] ^= 1;
		Files.write(file, bytes);

		try (LogReader reader = new LogReader(this.directory)) {
			assertThat(reader.next(Duration.ZERO).id().toStringUtf8()).isEqualTo("id-0");
			assertThat(reader.next(Duration.ZERO).id().toStringUtf8()).isEqualTo("id-2");
			assertThat(reader.next(Duration.ZERO)).isNull();
			assertThat(reader.damagedBytes()).isBetween(1_000L, 1_200L);
		}
	}

	@Test
	@Tag("full")
	void goesOnBehindSegmentsThatAreDeleted() throws Exception {
		try (LogMessageStore log = open(); LogReader reader = new LogReader(this.directory)) {
			for (int i = 0; i < 30; i++) {
				log.store(Contents.of("id-" + i, new byte[1_000])).get();
			}
			assertThat(reader.next(WAIT).offset()).isZero();
			List<Path> files = Files.list(this.directory)
				.filter((file) -> file.toString().endsWith(".log"))
				.sorted()
				.toList();
			Files.delete(files.get(1));

			List<Long> offsets = new ArrayList<>();
			await().until(() -> {
				StoredMessage next = reader.next(Duration.ZERO);
				if (next != null) {
					offsets.add(next.offset());
				}
				return next == null;
			});

			assertThat(offsets).isSorted().doesNotHaveDuplicates().hasSizeBetween(15, 25).endsWith(29L);
		}
	}

	private List<StoredMessage> read() throws Exception {
		List<StoredMessage> read = new ArrayList<>();
		try (LogReader reader = new LogReader(this.directory)) {
			StoredMessage next = reader.next(Duration.ZERO);
			while (next != null) {
				read.add(next);
				next = reader.next(Duration.ZERO);
			}
		}
		return read;
	}

	private LogMessageStore open() {
		return new LogMessageStore(this.directory, SEGMENT_BYTES, Damage.REFUSE, Retention.FOR_EVER, new RecentIds(10),
				new KnownSessions(10, Duration.ofDays(1)));
	}

}
