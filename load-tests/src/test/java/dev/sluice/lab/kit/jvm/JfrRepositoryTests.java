package dev.sluice.lab.kit.jvm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The repository that a killed JVM leaves, made from recordings of this JVM. */
class JfrRepositoryTests {

	private static final int LENGTH = 8;

	private static final int STATE = 64;

	private static final int HEADER = 68;

	@TempDir
	private Path directory;

	private Path recording;

	private JfrRepository repository;

	@BeforeEach
	void name() {
		this.recording = this.directory.resolve("assembled.jfr");
		this.repository = new JfrRepository(this.directory.resolve("unfinished"));
	}

	@Test
	void assemblesAChunkThatTheJvmDidNotComplete() throws Exception {
		leave("2026_01_01/2026_01_01.jfr", unfinished(chunk("first")));

		assertThat(this.repository.assemble(this.recording)).isTrue();

		assertThat(saidIn(this.recording)).isEqualTo("first");
	}

	@Test
	void assemblesChunksInTheOrderOfTheirTime() throws Exception {
		leave("2026_01_01/02.jfr", unfinished(chunk("second")));
		leave("2026_01_01/01.jfr", chunk("first"));

		assertThat(this.repository.assemble(this.recording)).isTrue();

		assertThat(saidIn(this.recording)).isEqualTo("firstsecond");
	}

	/** The JVM writes there before it flushes. */
	@Test
	void leavesOutWhatFollowsTheLastFlush() throws Exception {
		byte[] chunk = chunk("first");
		leave("01.jfr", Arrays.copyOf(unfinished(chunk), chunk.length + 1_000));

		this.repository.assemble(this.recording);

		assertThat(this.recording).hasBinaryContent(chunk);
	}

	@Test
	void keepsWhatThereIsOfAChunkThatWasCutOff() throws IOException {
		leave("01.jfr", header(100 + HEADER, HEADER + 10));

		assertThat(this.repository.assemble(this.recording)).isTrue();

		assertThat(this.recording).hasSize(HEADER + 10);
	}

	@Test
	void leavesOutChunksThatEndedBeforeTheirFirstFlush() throws Exception {
		leave("01.jfr", new byte[0]);
		leave("02.jfr", header(HEADER, HEADER - 1));
		leave("03.jfr", header(HEADER - 1, HEADER));
		leave("04.jfr", unfinished(chunk("last")));

		assertThat(this.repository.assemble(this.recording)).isTrue();

		assertThat(saidIn(this.recording)).isEqualTo("last");
	}

	@Test
	void findsNothingWhereTheJvmEndedInGoodOrder() throws IOException {
		assertThat(this.repository.assemble(this.recording)).isFalse();

		leave("notes.txt", new byte[100]);
		assertThat(this.repository.assemble(this.recording)).isFalse();
		assertThat(this.recording).doesNotExist();
	}

	private void leave(String name, byte[] content) throws IOException {
		Path file = this.repository.directory().resolve(name);
		Files.createDirectories(file.getParent());
		Files.write(file, content);
	}

	/** A complete chunk, with one event. */
	private byte[] chunk(String said) throws IOException {
		Path file = this.directory.resolve("own.jfr");
		try (Recording own = new Recording()) {
			own.enable(Said.class);
			own.start();
			Said event = new Said();
			event.words = said;
			event.commit();
			own.dump(file);
		}
		byte[] chunk = Files.readAllBytes(file);
		Files.delete(file);
		return chunk;
	}

	private static byte[] unfinished(byte[] chunk) {
		byte[] unfinished = chunk.clone();
		unfinished[STATE] = 3;
		return unfinished;
	}

	private static byte[] header(long length, int size) {
		byte[] bytes = new byte[size];
		ByteBuffer.wrap(bytes).putLong(LENGTH, length);
		return bytes;
	}

	private static String saidIn(Path recording) throws IOException {
		StringBuilder said = new StringBuilder();
		for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
			if (event.getEventType().getName().equals(Said.NAME)) {
				said.append(event.getString("words"));
			}
		}
		return said.toString();
	}

	@Name(Said.NAME)
	static final class Said extends Event {

		static final String NAME = "dev.sluice.lab.Said";

		String words = "";

	}

}
