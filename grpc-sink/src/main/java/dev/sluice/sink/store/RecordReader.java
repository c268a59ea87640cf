package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/** Reads the records of one file of the log. Confined to one thread. */
final class RecordReader {

	private static final int HEADER_BYTES = 8;

	/** More than any message may have. */
	private static final int MAX_BYTES = 64 * 1024 * 1024;

	private final FileChannel channel;

	private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);

	private ByteBuffer body = ByteBuffer.allocate(64 * 1024);

	private long position;

	RecordReader(FileChannel channel) {
		this.channel = channel;
	}

	/** Where the record read last ends. */
	long position() {
		return this.position;
	}

	/** The id of the next record; null at the end or where no whole record follows. */
	@Nullable ByteString nextId() throws IOException {
		this.header.clear();
		if (!read(this.header, this.position)) {
			return null;
		}
		int length = this.header.getInt();
		int expected = this.header.getInt();
		if (length < 2 || length > MAX_BYTES) {
			return null;
		}
		if (this.body.capacity() < length) {
			this.body = ByteBuffer.allocate(length);
		}
		this.body.clear().limit(length);
		if (!read(this.body, this.position + HEADER_BYTES)) {
			return null;
		}
		CRC32C crc = new CRC32C();
		crc.update(this.body.duplicate());
		int idLength = this.body.get(0) & 0xFF;
		if ((int) crc.getValue() != expected || idLength >= length) {
			return null;
		}
		this.position += HEADER_BYTES + length;
		return ByteString.copyFrom(this.body.array(), 1, idLength);
	}

	/** The payload of the record read last. */
	byte[] payload() {
		int from = 1 + (this.body.get(0) & 0xFF);
		byte[] payload = new byte[this.body.limit() - from];
		this.body.get(from, payload);
		return payload;
	}

	private boolean read(ByteBuffer target, long from) throws IOException {
		long at = from;
		while (target.hasRemaining()) {
			int read = this.channel.read(target, at);
			if (read < 0) {
				return false;
			}
			at += read;
		}
		target.flip();
		return true;
	}

}
