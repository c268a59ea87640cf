package dev.sluice.lab.sink;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.LogFile;
import dev.sluice.sink.format.LogRecord;
import dev.sluice.sink.segment.SegmentHeader;
import dev.sluice.sink.segment.SegmentWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SinkReadingTests {

	@TempDir
	private Path directory;

	@Test
	void printsTheMessagesOfALogAsLinesOfJson() throws Exception {
		SegmentHeader header = new SegmentHeader(1, 0, 2);
		try (FileChannel channel = FileChannel.open(LogFile.of(this.directory, 0, header).path(),
				StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			SegmentWriter writer = SegmentWriter.begin(channel, header, ByteBuffer.allocate(1_000));
			write(writer, "a", "customer", "hello".getBytes(), ByteString.copyFromUtf8("session1"), 7);
			write(writer, "b", "", new byte[] { (byte) 0xFF }, null, 0);
			write(writer, "c", "", "third".getBytes(), null, 0);
			writer.commit(true);
		}
		StringWriter out = new StringWriter();

		SinkReading.print(this.directory.toString(), 2, false, new PrintWriter(out));

		assertThat(out.toString().lines()).containsExactly("""
				{"partition":0,"offset":0,"storedAt":"1970-01-01T00:00:01Z","id":"a","key":"customer",\
				"session":"73657373696f6e31","sequence":7,"payload":"hello"}""", """
				{"partition":0,"offset":1,"storedAt":"1970-01-01T00:00:01Z","id":"b","payloadBase64":"/w=="}""");
	}

	@Test
	void saysWhatItReads() {
		for (String neither : List.of("no-such-directory", "127.0.0.1", "127.0.0.1:9092,")) {
			assertThatExceptionOfType(LabException.class)
				.isThrownBy(() -> SinkReading.print(neither, 1, false, new PrintWriter(new StringWriter())))
				.withMessageContaining("is neither a directory nor HOST:PORT");
		}
	}

	private static void write(SegmentWriter writer, String id, String key, byte[] payload, ByteString session,
			long sequence) throws Exception {
		Content content = new Content(ByteString.copyFromUtf8(id), ByteString.copyFromUtf8(key), 0, payload);
		writer.append(LogRecord.head(1_000, content, session, sequence), payload);
	}

}
