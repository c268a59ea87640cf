package dev.sluice.sink.client.spool;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import dev.sluice.sink.client.spool.SegmentFormat.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class SegmentReaderTests {

	private static final int HEAD = SegmentFormat.HEADER_BYTES;

	@TempDir
	private Path directory;

	/**
	 * Counts reads: in an earlier version, a fake header made the search read its whole
	 * length.
	 */
	@Test
	void readsEachByteOnceBehindADamagedHeaderWhateverTheBodyContains() throws Exception {
		byte[] marks = new byte[4_000_000];
		ByteBuffer body = ByteBuffer.wrap(marks);
		while (body.remaining() >= HEAD) {
			body.putInt(Kind.RECORD.mark()).putInt(1_000_000).putLong(6).putInt(0).putInt(0);
		}
		try (FileChannel file = write(marks, new byte[10])) {
			List<SegmentReader.Whole> all = Spools.records(segment());
			SegmentReader.Whole first = all.get(1);
			file.write(ByteBuffer.allocate(8), first.from());
			FaultyDisk disk = new FaultyDisk();

			SegmentReader reader = reader(disk.open(segment(), StandardOpenOption.READ));
			reader.seek(first.from());

			assertThat(reader.skim()).as("the next one").isEqualTo(all.get(2));
			assertThat(disk.bytesRead.get()).isLessThan(marks.length + 1_000_000);
		}
	}

	@Test
	void takesNoRecordOfAnotherSegmentForOneOfItsOwn() throws Exception {
		try (FileChannel file = write(new byte[10], new byte[10])) {
			assertThat(Spools.records(segment())).hasSize(4);

			assertThat(new SegmentReader(file, 43).skim()).isNull();
		}
	}

	/** Writes settled numbers, a record for each payload, and an end. */
	private FileChannel write(byte[]... payloads) throws Exception {
		SegmentQueue queue = new SegmentQueue(this.directory, FileChannel::open);
		try (SegmentWriter writer = new SegmentWriter(queue, this.directory, 1_000, false, FileChannel::open)) {
			writer.write(Arrays.stream(payloads).map((payload) -> new Message(null, payload)).toList());
		}
		return FileChannel.open(segment(), StandardOpenOption.READ, StandardOpenOption.WRITE);
	}

	private Path segment() throws Exception {
		return Spools.segments(this.directory).getFirst();
	}

	private SegmentReader reader(FileChannel file) throws Exception {
		return new SegmentReader(file, Objects.requireNonNull(Segment.named(segment())).salt);
	}

}
