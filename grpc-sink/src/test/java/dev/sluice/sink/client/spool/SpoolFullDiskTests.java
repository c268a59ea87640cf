package dev.sluice.sink.client.spool;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.Spool.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class SpoolFullDiskTests {

	private static final int SEGMENT_BYTES = 40_000;

	@TempDir
	private Path directory;

	private final FaultyDisk disk = new FaultyDisk();

	/** Works even on a disk that is smaller than a segment. */
	@ParameterizedTest
	@ValueSource(longs = { 20_000, 200_000 })
	void deliversOnAFullDiskAndTakesMessagesAgainWhenSomeAreDelivered(long room) throws Exception {
		this.disk.room = room;
		this.disk.makesRoom = true;
		try (FileSpool spool = open()) {
			for (int round = 0; round < 3; round++) {
				List<Long> taken = new ArrayList<>();
				// A segment of the round before goes a moment after its last message.
				await().until(() -> {
					taken.addAll(fill(spool));
					return taken.size() > 10;
				});
				assertThat(numbers(spool)).containsExactlyElementsOf(taken);
				spool.settle(taken.subList(0, taken.size() - 1));
				spool.settle(taken.subList(taken.size() - 1, taken.size()));

				await().ignoreExceptionsInstanceOf(SpoolFullException.class)
					.untilAsserted(() -> assertThat(append(spool, "again")).isNotNegative());
				spool.settle(numbers(spool));
			}
		}
	}

	@Test
	void forgetsWhatItDidNotTake() throws Exception {
		this.disk.room = 30_000;
		List<Long> taken;
		try (FileSpool spool = open()) {
			taken = fill(spool);
		}

		this.disk.room = Long.MAX_VALUE;
		try (FileSpool spool = open()) {
			assertThat(numbers(spool)).containsExactlyElementsOf(taken);
			assertThat(spool.damaged()).isZero();
		}
	}

	@Test
	void opensOnAFullDiskAndDelivers() throws Exception {
		List<Long> taken = new ArrayList<>();
		try (FileSpool spool = open()) {
			for (int i = 0; i < 100; i++) {
				taken.add(append(spool, "message " + i));
			}
		}

		this.disk.room = 0;
		this.disk.makesRoom = true;
		try (FileSpool spool = open()) {
			assertThat(numbers(spool)).containsExactlyElementsOf(taken);
			assertThatExceptionOfType(SpoolFullException.class).isThrownBy(() -> append(spool, "more"));
			spool.settle(taken);

			await().ignoreExceptionsInstanceOf(SpoolFullException.class)
				.untilAsserted(() -> assertThat(append(spool, "again")).isNotNegative());
			assertThat(numbers(spool)).hasSize(1);
		}
	}

	@Test
	void takesMessagesAgainAfterAForceThatFailed() throws Exception {
		try (FileSpool spool = open()) {
			append(spool, "first");
			this.disk.failsToForce = true;
			assertThatExceptionOfType(SpoolFailedException.class).isThrownBy(() -> append(spool, "lost"))
				.withMessageContaining("may still be delivered");
			assertThat(numbers(spool)).hasSize(1);

			this.disk.failsToForce = false;
			append(spool, "last");
			assertThat(payloads(spool)).containsExactly("first", "last");
		}

		try (FileSpool spool = open()) {
			assertThat(payloads(spool)).containsExactly("first", "last");
			assertThat(spool.damaged()).isZero();
		}
	}

	private FileSpool open() {
		return new FileSpool(this.directory.resolve("spool"), 10_000_000, true, SEGMENT_BYTES, this.disk);
	}

	private static List<Long> fill(FileSpool spool) throws InterruptedException {
		List<Long> taken = new ArrayList<>();
		try {
			while (true) {
				taken.add(append(spool, "message ".repeat(100)));
			}
		}
		catch (SpoolFullException ex) {
			assertThat(ex).hasMessageContaining("full");
			return taken;
		}
	}

	private static long append(FileSpool spool, String payload) throws InterruptedException {
		return Spools.append(spool, ByteString.copyFromUtf8("id"), payload.getBytes()).number();
	}

	private static List<Long> numbers(FileSpool spool) {
		return Spools.entries(spool).stream().map(Entry::number).toList();
	}

	private static List<String> payloads(FileSpool spool) {
		return Spools.entries(spool).stream().map((entry) -> new String(entry.payload())).toList();
	}

}
