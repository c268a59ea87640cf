package dev.sluice.sink.client.spool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import dev.sluice.sink.Script;
import dev.sluice.sink.client.spool.Spool.Entry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/** A spool that is full, or on a disk that is, or that fails. */
class SpoolFullDiskTests {

	private static final int SEGMENT_BYTES = 40_000;

	@TempDir
	private Path directory;

	private final FaultyDisk disk = new FaultyDisk();

	private @Nullable FileSpool spool;

	/** The last number of each id. */
	private final Map<String, Long> numbers = new HashMap<>();

	private String said = "";

	/**
	 * A message is an id, or {@code id:size}. {@code open}, with the bytes of the spool
	 * and of a segment, goes on with the same directory.
	 */
	private final Script script = new Script().word("open", this::open)
		.word("close", (_) -> close())
		.word("in-use",
				(_) -> assertThatExceptionOfType(SpoolFailedException.class)
					.isThrownBy(() -> new FileSpool(path(), 1_000, true))
					.withMessageContaining("another process"))
		.word("append", (ids) -> {
			for (String id : ids) {
				append(id);
			}
		})
		.word("together", (ids) -> this.spool.append(messages(ids)))
		.word("full", refused(SpoolFullException.class))
		.word("failed", refused(SpoolFailedException.class))
		.word("said", (words) -> assertThat(this.said).contains(String.join(" ", words)))
		.word("settle", (ids) -> this.spool.settle(ids.stream().map(this.numbers::get).toList()))
		.word("left", (ids) -> await().untilAsserted(() -> {
			assertThat(this.spool.size()).isEqualTo(ids.size());
			assertThat(ids()).isEqualTo(ids);
		}))
		.word("retried", (ids) -> await().ignoreExceptionsInstanceOf(SpoolFullException.class).until(() -> {
			append(ids.getFirst());
			return true;
		}))
		.word("read",
				(numbers) -> numbers
					.forEach((number) -> assertThat(this.spool.get(Long.parseLong(number))).isNotNull()))
		.word("room", (bytes) -> this.disk.room = Long.parseLong(bytes.getFirst()))
		.word("makes-room", (_) -> this.disk.makesRoom = true)
		.word("forces", (works) -> this.disk.failsToForce = works.contains("fail"))
		.word("breaks", (_) -> this.disk.beforeForce = () -> {
			this.disk.beforeForce = () -> {
			};
			throw new IllegalStateException("broken");
		})
		.word("writes-fail", (words) -> this.disk.failsToWriteOnce = String.join(" ", words))
		.word("remove-segment", (_) -> Files.delete(Spools.segments(path()).getLast()))
		.word("remove", (_) -> FileSystemUtils.deleteRecursively(path()))
		.word("create", (_) -> Files.createDirectory(path()))
		.shown("ids", this::ids)
		.is(() -> "size=%s bytes=%s damaged=%s files=%s".formatted(this.spool.size(), this.spool.bytes(),
				this.spool.damaged(), this.disk.open));

	@AfterEach
	void close() {
		if (this.spool != null) {
			this.spool.close();
		}
	}

	private Path path() {
		return this.directory.resolve("spool");
	}

	private void open(List<String> bytes) {
		close();
		this.spool = new FileSpool(path(), bytes.isEmpty() ? 10_000_000 : Long.parseLong(bytes.get(0)), true,
				(bytes.size() < 2) ? SEGMENT_BYTES : Long.parseLong(bytes.get(1)), this.disk);
	}

	private long append(String message) throws InterruptedException {
		long number = this.spool.append(messages(List.of(message))).getFirst().number();
		this.numbers.put(message.split(":")[0], number);
		return number;
	}

	private Script.Step refused(Class<? extends Exception> type) {
		return (ids) -> this.said = catchThrowableOfType(type, () -> this.spool.append(messages(ids))).getMessage();
	}

	private static List<Message> messages(List<String> messages) {
		return messages.stream()
			.map((message) -> message.split(":"))
			.map((parts) -> new Message(ByteString.copyFromUtf8(parts[0]),
					new byte[(parts.length > 1) ? Integer.parseInt(parts[1]) : 100]))
			.toList();
	}

	private List<String> ids() {
		return Spools.entries(this.spool).stream().map((entry) -> entry.id().toStringUtf8()).toList();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				refuses what does not fit and takes it when there is room
					open 3000; append a:1000 b:1000; full c:1000; said 3000; is size=2
					settle a; left b; append c:1000; left b c
				says so when it is in use or closed
					open; in-use; close; failed a; is bytes=0
				leaves no file open
					open; 20x(append a:10000); read 0; close; is files=0; open; append a:10000; read 0 19; close
					is files=0
				keeps no room for messages that it could not write
					open 100000; append a; forces fail; 30x(failed b:10000); forces work; append c:10000; ids a c
					is size=2
				reads in any order what follows a write that failed, whose positions are not used again
					open 100000000 50000000; append a; forces fail; failed b:200000 c:200000 d:200000
					forces work; together e:150000 f:150000 g:150000; read 1 2 3 3 2; is damaged=0
				tells a full disk and a full quota from a broken disk
					open; append a; writes-fail No space left on device; full b; said No space left on device
					said is full
					append c; writes-fail Disk quota exceeded; full d; said Disk quota exceeded; said is full
					append e; writes-fail Input/output error; failed f; said Input/output error; said will not be sent
					append g; ids a c e g
				fails for good if its writer fails
					open; append a; breaks; failed b; said may not be durable; said broken; failed c
					said accepts no more
					open; is size=1
				forgets what it did not take
					open; room 30000; append a:9000 b:9000 c:9000; full d:9000; full e:9000
					room 1000000; open; ids a b c; is damaged=0
				opens on a full disk and delivers
					open; append a:9000 b:9000 c:9000; close; room 0; makes-room; open; ids a b c; full d; settle a b c
					retried d; ids d
				keeps what follows when the segment being written is removed, whose messages are still in memory
					open; append a; remove-segment; append b; ids a b; open; ids b
				promises nothing while its directory is gone
					open; append a; remove; failed b; said will not be sent; create; append c; open; ids c
				takes messages again after a force that failed
					open; append first; forces fail; failed lost; said may still be delivered; ids first
					forces work; append last; ids first last; open; ids first last; is damaged=0
				""");
	}

	/** Works even on a disk that is smaller than a segment. */
	@ParameterizedTest
	@ValueSource(longs = { 20_000, 200_000 })
	void deliversOnAFullDiskAndTakesMessagesAgainWhenSomeAreDelivered(long room) {
		this.script.play("open; makes-room; room " + room);
		for (int round = 0; round < 3; round++) {
			List<Long> taken = new ArrayList<>();
			// A segment of the round before goes a moment after its last message.
			await().until(() -> {
				taken.addAll(fill());
				return taken.size() > 10;
			});
			assertThat(Spools.entries(this.spool).stream().map(Entry::number)).containsExactlyElementsOf(taken);
			this.spool.settle(taken.subList(0, taken.size() - 1));
			this.spool.settle(taken.subList(taken.size() - 1, taken.size()));

			this.script.play("retried again; settle again");
		}
	}

	private List<Long> fill() throws InterruptedException {
		List<Long> taken = new ArrayList<>();
		try {
			while (true) {
				taken.add(append("message:800"));
			}
		}
		catch (SpoolFullException ex) {
			assertThat(ex).hasMessageContaining("full");
			return taken;
		}
	}

}
