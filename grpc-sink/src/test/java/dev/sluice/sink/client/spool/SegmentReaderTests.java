package dev.sluice.sink.client.spool;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.sink.client.spool.SegmentFormat.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class SegmentReaderTests {

	@TempDir
	private Path directory;

	@Test
	void findsTheRecordBehindADamagedBodyWithoutASearch() throws Exception {
		try (FileChannel channel = open()) {
			write(channel, new byte[1_000], new byte[2_000], new byte[3_000]);
			long second = SegmentHeader.BYTES + 24 + 1_000;
			channel.write(ByteBuffer.wrap(new byte[] { 1 }), second + 24 + 500);

			SegmentReader reader = new SegmentReader(channel);

			assertThat(reader.skim()).isInstanceOf(SegmentReader.Whole.class);
			SegmentReader.Whole damaged = (SegmentReader.Whole) reader.skim();
			assertThat(damaged.from()).isEqualTo(second);
			assertThat(reader.body(damaged)).isNull();
			assertThat(reader.skim()).isInstanceOfSatisfying(SegmentReader.Whole.class,
					(third) -> assertThat(third.number()).isEqualTo(7));
		}
	}

	/**
	 * Counts reads: in an earlier version, a fake header made the search read its whole
	 * length.
	 */
	@Test
	void readsEachByteOnceBehindADamagedHeaderWhateverTheBodyContains() throws Exception {
		byte[] marks = new byte[4_000_000];
		ByteBuffer body = ByteBuffer.wrap(marks);
		while (body.remaining() >= 24) {
			body.putInt(Kind.RECORD.mark()).putInt(1_000_000).putLong(6).putInt(0).putInt(0);
		}
		try (FileChannel channel = open()) {
			write(channel, marks, new byte[10]);
			channel.write(ByteBuffer.allocate(8), SegmentHeader.BYTES);
			FaultyDisk disk = new FaultyDisk();

			SegmentReader reader = new SegmentReader(disk.open(this.directory.resolve("a"), StandardOpenOption.READ));

			assertThat(reader.skim())
				.isEqualTo(new SegmentReader.Hole(SegmentHeader.BYTES, SegmentHeader.BYTES + 24 + marks.length));
			assertThat(reader.skim()).isInstanceOf(SegmentReader.Whole.class);
			assertThat(disk.bytesRead.get()).isLessThan(marks.length + 1_000_000);
		}
	}

	@Test
	void takesNoRecordOfAnotherSegmentForOneOfItsOwn() throws Exception {
		byte[] other;
		try (FileChannel channel = open()) {
			write(channel, new byte[10], new byte[10]);
			ByteBuffer content = ByteBuffer.allocate((int) channel.size() - SegmentHeader.BYTES);
			channel.read(content, SegmentHeader.BYTES);
			other = content.array();
		}
		try (FileChannel channel = FileChannel.open(this.directory.resolve("b"), StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			SegmentWriter writer = SegmentWriter.begin(channel, new SegmentHeader(43, 5, 1), ByteBuffer.allocate(100));
			writer.append(other);
			writer.commit(false);
			channel.write(ByteBuffer.allocate(4), SegmentHeader.BYTES);

			assertThat(new SegmentReader(channel).skim()).isInstanceOf(SegmentReader.End.class);
		}
	}

	@Test
	void readsWithAHeaderThatTheFileHasLost() throws Exception {
		try (FileChannel channel = open()) {
			write(channel, new byte[10]);
			channel.write(ByteBuffer.allocate(SegmentHeader.BYTES), 0);

			assertThat(new SegmentReader(channel).header()).isNull();
			assertThat(new SegmentReader(channel, new SegmentHeader(42, 5, 1)).skim())
				.isInstanceOf(SegmentReader.Whole.class);
		}
	}

	@Test
	void saysWhatWasPromisedBefore() throws Exception {
		try (FileChannel channel = open()) {
			SegmentWriter writer = SegmentWriter.begin(channel, new SegmentHeader(42, 5, 1), ByteBuffer.allocate(100));
			writer.append(new byte[1]);
			writer.append(new byte[1]);
			assertThatIllegalStateException().isThrownBy(() -> writer.note(new byte[1]));
			assertThatIllegalStateException().isThrownBy(writer::end);
			writer.commit(false);
			writer.note(new byte[1]);
			writer.append(new byte[1]);
			writer.commit(true);
			writer.end();
			writer.commit(true);

			SegmentReader reader = new SegmentReader(channel);
			List<Kind> kinds = new ArrayList<>();
			List<Long> numbers = new ArrayList<>();
			while (reader.skim() instanceof SegmentReader.Whole whole) {
				kinds.add(whole.kind());
				numbers.add(whole.number());
			}
			assertThat(kinds).containsExactly(Kind.BATCH, Kind.RECORD, Kind.NOTE, Kind.BATCH, Kind.END);
			assertThat(numbers).containsExactly(5L, 6L, 7L, 7L, 8L);
		}
	}

	private FileChannel open() throws Exception {
		return FileChannel.open(this.directory.resolve("a"), StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE);
	}

	private static void write(FileChannel channel, byte[]... bodies) throws Exception {
		SegmentWriter writer = SegmentWriter.begin(channel, new SegmentHeader(42, 5, 1), ByteBuffer.allocate(5_000));
		for (byte[] body : bodies) {
			writer.append(body);
		}
		writer.commit(false);
	}

}
