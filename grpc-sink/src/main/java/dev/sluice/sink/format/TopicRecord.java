package dev.sluice.sink.format;

import java.nio.ByteBuffer;

import com.google.protobuf.ByteString;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a record of the topic. The record's key is the message's id, its value
 * the payload. Numbers are big-endian: {@value #SEQUENCE} has the session's id (8 to 16
 * bytes), the sequence (8) and the {@linkplain Content#checksum checksum} (4);
 * {@value #KEY} has the routing key; {@value #CLIENT} has the client (8).
 *
 * @param client owner of the id; 0 = all clients without a certificate
 * @param session session of the sequence; null if it has none
 * @param sequence number in the session, from 1; 0 = none
 * @param key routing key; empty = none
 */
public record TopicRecord(long client, @Nullable ByteString session, long sequence, ByteString key) {

	/** Header of a message with a sequence. */
	public static final String SEQUENCE = "sink-sequence";

	/** Header of a message with a routing key. */
	public static final String KEY = "sink-key";

	/** Header of a message without a sequence, of a client with a certificate. */
	public static final String CLIENT = "sink-client";

	private static final int SEQUENCE_BYTES = Long.BYTES + Integer.BYTES;

	/**
	 * Creates a record.
	 * @param partition null = the partitioner decides by the id
	 * @param session null if the message has no sequence
	 */
	public static ProducerRecord<byte[], byte[]> of(String topic, @Nullable Integer partition, Content content,
			@Nullable ByteString session, long sequence) {
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, partition, content.id().toByteArray(),
				content.payload());
		if (session != null) {
			record.headers()
				.add(SEQUENCE,
						ByteBuffer.allocate(session.size() + SEQUENCE_BYTES)
							.put(session.asReadOnlyByteBuffer())
							.putLong(sequence)
							.putInt(content.checksum())
							.array());
		}
		else if (content.client() != 0) {
			record.headers().add(CLIENT, ByteBuffer.allocate(Long.BYTES).putLong(content.client()).array());
		}
		if (!content.key().isEmpty()) {
			record.headers().add(KEY, content.key().toByteArray());
		}
		return record;
	}

	/** Reads the headers of a record. Ignores one that is too short to be the sink's. */
	public static TopicRecord read(Headers headers) {
		ByteBuffer sequence = bytes(headers, SEQUENCE, SEQUENCE_BYTES + 1);
		ByteBuffer client = bytes(headers, CLIENT, Long.BYTES);
		ByteBuffer key = bytes(headers, KEY, 1);
		ByteString session = (sequence != null) ? ByteString.copyFrom(sequence, sequence.remaining() - SEQUENCE_BYTES)
				: null;
		return new TopicRecord((client != null) ? client.getLong() : 0, session,
				(sequence != null) ? sequence.getLong() : 0,
				(key != null) ? ByteString.copyFrom(key) : ByteString.EMPTY);
	}

	private static @Nullable ByteBuffer bytes(Headers headers, String name, int least) {
		Header header = headers.lastHeader(name);
		return (header != null && header.value() != null && header.value().length >= least)
				? ByteBuffer.wrap(header.value()) : null;
	}

}
