package dev.sluice.sink;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Request;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** What a request comes to. */
sealed interface Payload {

	/** The only version of a message there is. */
	int VERSION = 1;

	int MAX_ID_BYTES = 64;

	/**
	 * A decoder need not support windows over 8 MB (RFC 8878, section 3.1.1.1.2): a frame
	 * of a few bytes could otherwise have it allocate 128 MB.
	 */
	int MAX_WINDOW_LOG = 23;

	/**
	 * A message to be stored.
	 *
	 * @param bytes the payload, decompressed
	 */
	record Readable(byte[] bytes) implements Payload {
	}

	/**
	 * A message that can be named and never be stored.
	 *
	 * @param status says what is wrong with it
	 */
	record Refused(Status status) implements Payload {
	}

	/** What is wrong with a message that cannot even be named; null if it can. */
	static @Nullable Status unnamed(Request request) {
		if (request.getVersion() != VERSION) {
			return Status.INVALID_ARGUMENT
				.withDescription("Version " + request.getVersion() + " is not known; send version " + VERSION);
		}
		ByteString id = request.getMessageId();
		if (id.isEmpty() || id.size() > MAX_ID_BYTES) {
			return Status.INVALID_ARGUMENT
				.withDescription("message_id has " + id.size() + " bytes; send 1 to " + MAX_ID_BYTES);
		}
		return null;
	}

	static Payload read(Request request, int maxBytes) {
		return switch (request.getPayloadCase()) {
			case PLAIN_MESSAGE -> plain(request.getPlainMessage(), maxBytes);
			case ZSTD_COMPRESSED -> zstd(request.getZstdCompressed().toByteArray(), maxBytes);
			case PAYLOAD_NOT_SET -> invalid(request.getUnknownFields().asMap().isEmpty() ? "The message has no payload"
					: "The message has no payload of a known kind; send plain_message or zstd_compressed");
		};
	}

	private static Payload plain(ByteString bytes, int maxBytes) {
		return (bytes.size() <= maxBytes) ? new Readable(bytes.toByteArray()) : tooLarge(maxBytes);
	}

	private static Payload zstd(byte[] frame, int maxBytes) {
		if (frame.length == 0) {
			return invalid("zstd_compressed is empty, which is no frame");
		}
		long size = Zstd.getFrameContentSize(frame);
		if (size > maxBytes) {
			return tooLarge(maxBytes);
		}
		try {
			return (size >= 0) ? knownSize(frame, (int) size) : unknownSize(frame, maxBytes);
		}
		catch (ZstdException ex) {
			return invalid("zstd_compressed is not one zstd frame: " + ex.getMessage());
		}
		catch (ZstdIOException ex) {
			return (ex.getErrorCode() == Zstd.errFrameParameterWindowTooLarge()) ? tooLarge(maxBytes)
					: invalid("zstd_compressed is not one zstd frame: " + ex.getMessage());
		}
		catch (IOException ex) {
			throw new IllegalStateException("Reading from memory cannot fail", ex);
		}
	}

	/** A frame that holds more than it says fails, for its target has no room. */
	private static Payload knownSize(byte[] frame, int size) {
		byte[] bytes = new byte[size];
		long decompressed = Zstd.decompress(bytes, frame);
		if (Zstd.isError(decompressed)) {
			return invalid("zstd_compressed is not one zstd frame: " + Zstd.getErrorName(decompressed));
		}
		if (decompressed != size) {
			return invalid("zstd_compressed holds less than its header says");
		}
		return new Readable(bytes);
	}

	private static Payload unknownSize(byte[] frame, int maxBytes) throws IOException {
		try (InputStream in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(frame),
				RecyclingBufferPool.INSTANCE)
			.setLongMax(MAX_WINDOW_LOG)) {
			byte[] bytes = in.readNBytes(maxBytes + 1);
			return (bytes.length <= maxBytes) ? new Readable(bytes) : tooLarge(maxBytes);
		}
	}

	private static Refused invalid(String description) {
		return new Refused(Status.INVALID_ARGUMENT.withDescription(description));
	}

	private static Refused tooLarge(int maxBytes) {
		return new Refused(Status.RESOURCE_EXHAUSTED
			.withDescription("The payload is larger than " + maxBytes + " bytes (sink.max-message)"));
	}

}
