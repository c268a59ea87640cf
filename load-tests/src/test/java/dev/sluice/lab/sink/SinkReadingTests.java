package dev.sluice.lab.sink;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.sink.reader.StoredMessage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SinkReadingTests {

	private static final Instant SECOND = Instant.ofEpochSecond(1);

	@Test
	void printsAMessageAsALineOfJson() {
		assertThat(SinkReading.line(new StoredMessage(3, 5, SECOND, ByteString.copyFromUtf8("a"),
				ByteString.copyFromUtf8("customer"), ByteString.copyFromUtf8("session1"), 7, "hello".getBytes())))
			.isEqualTo("""
					{"partition":3,"offset":5,"storedAt":"1970-01-01T00:00:01Z","id":"a","key":"customer",\
					"session":"73657373696f6e31","sequence":7,"payload":"hello"}""");
		assertThat(SinkReading.line(new StoredMessage(0, 1, SECOND, ByteString.copyFromUtf8("b"), ByteString.EMPTY,
				null, 0, new byte[] { (byte) 0xFF })))
			.isEqualTo("""
					{"partition":0,"offset":1,"storedAt":"1970-01-01T00:00:01Z","id":"b","payloadBase64":"/w=="}""");
	}

	@Test
	void saysWhatItReads() {
		for (String neither : List.of("a-directory", "127.0.0.1", "127.0.0.1:9092,")) {
			assertThatExceptionOfType(LabException.class)
				.isThrownBy(() -> SinkReading.print(neither, 1, false, new PrintWriter(new StringWriter())))
				.withMessageContaining("is not HOST:PORT");
		}
	}

}
