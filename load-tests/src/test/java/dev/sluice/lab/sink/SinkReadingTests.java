package dev.sluice.lab.sink;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.TopicRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SinkReadingTests {

	@Test
	void printsAMessageAsALineOfJson() {
		assertThat(
				SinkReading.line(record(5, "a", "customer", "hello".getBytes(), ByteString.copyFromUtf8("session1"))))
			.isEqualTo("""
					{"partition":3,"offset":5,"storedAt":"1970-01-01T00:00:01Z","id":"a","key":"customer",\
					"session":"73657373696f6e31","sequence":7,"payload":"hello"}""");
		assertThat(SinkReading.line(record(1, "b", "", new byte[] { (byte) 0xFF }, null))).isEqualTo("""
				{"partition":3,"offset":1,"storedAt":"1970-01-01T00:00:01Z","id":"b","payloadBase64":"/w=="}""");
	}

	private static ConsumerRecord<byte[], byte[]> record(long offset, String id, String key, byte[] payload,
			@Nullable ByteString session) {
		ProducerRecord<byte[], byte[]> stored = TopicRecord.of(Topics.SINK, 3,
				new Content(ByteString.copyFromUtf8(id), ByteString.copyFromUtf8(key), 0, payload), session, 7);
		return new ConsumerRecord<>(Topics.SINK, 3, offset, 1_000, TimestampType.CREATE_TIME, 0, 0, stored.key(),
				stored.value(), stored.headers(), Optional.empty());
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
