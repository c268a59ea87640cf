package dev.sluice.sink.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
		assertThat(LogMessageStore.segments(this.directory)).hasSizeGreaterThan(1);
	}

	@Test
	void knowsTheLastIdsAgainAndGoesOnBehindThem() throws Exception {
		write(messages(200, 1_000));
		RecentIds recent = new RecentIds(1_000);
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, recent)) {
			store.store("new".getBytes(), new byte[10]).get(10, TimeUnit.SECONDS);
		}

		assertThat(recent.size()).isEqualTo(200);
		assertThat(recent.contains(ByteString.copyFromUtf8("id-0"))).isTrue();
		assertThat(read()).hasSize(201);
	}

	@Test
	void knowsNoMoreIdsThanTheHorizon() throws Exception {
		write(messages(50, 100));
		RecentIds recent = new RecentIds(20);

		new LogMessageStore(this.directory, SEGMENT_BYTES, recent).close();

		assertThat(recent.size()).isEqualTo(20);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 7, 8, 9, 50 })
	void cutsOffWhatACrashLeftHalfWritten(int missing) throws Exception {
		write(Map.of("a", new byte[40]));
		Path file = LogMessageStore.segments(this.directory).getLast();
		long whole = Files.size(file);
		write(Map.of("b", new byte[40]));
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.truncate(channel.size() - missing);
		}
		RecentIds recent = new RecentIds(10);

		new LogMessageStore(this.directory, SEGMENT_BYTES, recent).close();

		assertThat(recent.contains(ByteString.copyFromUtf8("a"))).isTrue();
		assertThat(recent.contains(ByteString.copyFromUtf8("b"))).isFalse();
		assertThat(Files.size(file)).isEqualTo(whole);
	}

	@Test
	void keepsWhatItCutsOff() throws Exception {
		Path file = this.directory.resolve("0000000000.log");
		write(Map.of("a", new byte[40]));
		int whole = (int) Files.size(file);
		write(Map.of("b", new byte[40]));
		write(Map.of("c", new byte[40]));
		byte[] content = Files.readAllBytes(file);
		// What was acknowledged lies behind it.
		content[whole + 20] ^= 1;
		Files.write(file, content);

		write(Map.of("d", new byte[40]));

		assertThat(read()).containsOnlyKeys("a", "d");
		assertThat(this.directory.resolve("0000000000.log.cut"))
			.hasBinaryContent(Arrays.copyOfRange(content, whole, content.length));
	}

	@Test
	void doesNotTakeADamagedFileInTheMiddleForItsEnd() throws Exception {
		write(messages(300, 3_000));
		Path first = LogMessageStore.segments(this.directory).getFirst();
		byte[] content = Files.readAllBytes(first);
		content[content.length / 2] ^= 1;
		Files.write(first, content);

		assertThatExceptionOfType(UncheckedIOException.class)
			.isThrownBy(() -> new LogMessageStore(this.directory, SEGMENT_BYTES, new RecentIds(10_000)))
			.withMessageContaining(first.getFileName().toString());
	}

	@Test
	void takesNothingOnceItIsClosed() throws Exception {
		LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, new RecentIds(10));
		store.close();

		assertThat(store.ready()).isFalse();
		assertThat(store.store("a".getBytes(), new byte[1])).isCompletedExceptionally();
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
		try (LogMessageStore store = new LogMessageStore(this.directory, SEGMENT_BYTES, new RecentIds(0))) {
			List<CompletableFuture<Integer>> done = new ArrayList<>();
			messages.forEach((id, payload) -> done.add(store.store(id.getBytes(), payload)));
			for (CompletableFuture<Integer> one : done) {
				one.get(30, TimeUnit.SECONDS);
			}
		}
	}

	private Map<String, byte[]> read() throws IOException {
		Map<String, byte[]> found = new HashMap<>();
		for (Path file : LogMessageStore.segments(this.directory)) {
			try (FileChannel channel = FileChannel.open(file)) {
				RecordReader reader = new RecordReader(channel);
				ByteString id = reader.nextId();
				while (id != null) {
					found.put(id.toStringUtf8(), reader.payload());
					id = reader.nextId();
				}
			}
		}
		return found;
	}

}
