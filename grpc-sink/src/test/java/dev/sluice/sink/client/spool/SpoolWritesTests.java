package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** The test controls time. */
@ExtendWith(OutputCaptureExtension.class)
class SpoolWritesTests {

	private static final Duration RETRY = Duration.ofMillis(250);

	@TempDir
	private Path directory;

	private final FaultyDisk disk = new FaultyDisk();

	private final AtomicLong nanoTime = new AtomicLong(Duration.ofHours(1).toNanos());

	private SpoolWrites writes;

	private SegmentQueue queue;

	@BeforeEach
	void open() throws IOException {
		this.queue = new SegmentQueue(this.directory, 1, 100_000, true, this.disk);
		this.writes = new SpoolWrites(this.queue, this.directory, this.nanoTime::get);
	}

	@AfterEach
	void close() throws IOException {
		this.disk.failsToForce = false;
		this.queue.close();
	}

	@Test
	void commitsABatch() throws Exception {
		assertThat(write("a")).isNull();

		assertThat(this.queue.unsettled()).isOne();
		assertThat(this.disk.dirty).isEmpty();
		assertThat(this.writes.failing()).isFalse();
		assertThat(this.writes.due()).isTrue();
	}

	@Test
	void appendsNothingOfABatchThatFails() throws Exception {
		RuntimeException failure = this.writes.write(() -> {
			this.queue.append("lost".getBytes());
			throw new IOException("broken");
		});

		assertThat(failure).isInstanceOf(SpoolFailedException.class).hasMessageContaining("will not be sent");
		assertThat(this.writes.failing()).isTrue();
		assertThat(write("kept")).isNull();
		assertThat(this.queue.unsettled()).isOne();
		try (QueueReader reader = this.queue.reader()) {
			assertThat(reader.read(this.queue.firstUnsettled())).asString().isEqualTo("kept");
		}
	}

	@Test
	void triesAQuarterOfASecondLaterToWriteWhatNobodyWaitsFor() {
		fail("broken");
		assertThat(this.writes.due()).isFalse();

		this.nanoTime.addAndGet(RETRY.toNanos() - 1);
		assertThat(this.writes.due()).isFalse();
		this.nanoTime.addAndGet(1);
		assertThat(this.writes.due()).isTrue();
		assertThat(this.writes.failing()).as("it has not tried yet").isTrue();

		fail("broken still");
		assertThat(this.writes.due()).isFalse();
		assertThat(write("a")).isNull();
		assertThat(this.writes.failing()).isFalse();
		assertThat(this.writes.due()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "No space left on device", "Disk quota exceeded" })
	void tellsAFullDiskByItsWords(String words) {
		assertThat(fail(words)).isInstanceOf(SpoolFullException.class)
			.hasMessageContaining("is full")
			.hasMessageContaining(words);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "Input/output error")
	void takesNoDiskWithRoomForFull(@Nullable String words) {
		assertThat(fail(words)).isInstanceOf(SpoolFailedException.class).hasMessageContaining("will not be sent");
	}

	@Test
	void takesADiskForBrokenThatCannotEvenTellItsRoom() {
		this.writes = new SpoolWrites(this.queue, this.directory.resolve("gone"), this.nanoTime::get);

		assertThat(fail("Input/output error")).isInstanceOf(SpoolFailedException.class);
	}

	@Test
	void saysThatWhatCannotBeRolledBackMayStillBeDelivered() {
		this.disk.failsToForce = true;

		assertThat(write("a")).isInstanceOf(SpoolFailedException.class).hasMessageContaining("may still be delivered");
	}

	@Test
	void logsTheFirstOfSeveralFailures(CapturedOutput output) {
		fail("broken");
		fail("broken still");
		write("a");
		fail("broken again");

		assertThat(output.getAll().lines().filter((line) -> line.contains("cannot be written; sending fails")))
			.satisfiesExactly((line) -> assertThat(line).endsWith("broken"),
					(line) -> assertThat(line).endsWith("broken again"));
	}

	private @Nullable RuntimeException write(String body) {
		return this.writes.write(() -> this.queue.append(body.getBytes()));
	}

	private @Nullable RuntimeException fail(@Nullable String words) {
		return this.writes.write(() -> {
			throw new IOException(words);
		});
	}

}
