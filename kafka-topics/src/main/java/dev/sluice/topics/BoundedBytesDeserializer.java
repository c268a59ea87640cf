package dev.sluice.topics;

import java.nio.ByteBuffer;

import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads bytes, and more than {@value #MAX_BYTES} as none: a compressed record of some
 * kilobytes may contain hundreds of megabytes. It is what a broker accepts uncompressed
 * by default; Kafka's client itself has no such bound.
 */
public final class BoundedBytesDeserializer extends ByteArrayDeserializer {

	public static final int MAX_BYTES = 1024 * 1024;

	@Override
	public byte @Nullable [] deserialize(String topic, Headers headers, @Nullable ByteBuffer data) {
		return (data != null && data.remaining() > MAX_BYTES) ? new byte[0] : super.deserialize(topic, headers, data);
	}

}
