package dev.sluice.sink.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import com.google.protobuf.ByteString;

/**
 * The content of a message to store.
 *
 * @param id id of the message, 1 to 64 bytes
 * @param key routing key, up to 128 bytes; empty = none
 * @param client owner of the id; 0 = all clients without a certificate
 * @param payload decompressed payload, which must not change any more
 * @param checksum checksum of id, key and payload; a repeat has the same one
 */
public record Content(ByteString id, ByteString key, long client, byte[] payload, int checksum) {

	/** Computes the checksum. */
	public Content(ByteString id, ByteString key, long client, byte[] payload) {
		this(id, key, client, payload, checksum(id, key, payload));
	}

	/** The CRC-32C of the id, the key, and the CRC-32C of the payload (4 bytes). */
	private static int checksum(ByteString id, ByteString key, byte[] payload) {
		CRC32C ofPayload = new CRC32C();
		ofPayload.update(payload);
		CRC32C crc = new CRC32C();
		crc.update(id.asReadOnlyByteBuffer());
		crc.update(key.asReadOnlyByteBuffer());
		crc.update(ByteBuffer.allocate(Integer.BYTES).putInt((int) ofPayload.getValue()).flip());
		return (int) crc.getValue();
	}

}
