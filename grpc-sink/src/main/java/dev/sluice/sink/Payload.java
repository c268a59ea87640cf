package dev.sluice.sink;

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
	 * A message to be stored.
	 *
	 * @param bytes the payload, decompressed
	 */
	record Readable(byte[] bytes) implements Payload {

		/** What it is larger than its request, in bytes. */
		long grown(Request request) {
			return Math.max(0, this.bytes.length - request.getSerializedSize());
		}

	}

	/**
	 * A message that can be named and never be stored.
	 *
	 * @param status says what is wrong with it
	 */
	record Refused(Status status) implements Payload {
	}

	/**
	 * A message that could not be read, through no fault of its own: memory was short.
	 *
	 * @param cause what was thrown
	 */
	record Unread(RuntimeException cause) implements Payload {
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

	static Payload read(Request request, int maxBytes, Decompressor decompressor) {
		try {
			return switch (request.getPayloadCase()) {
				case PLAIN_MESSAGE -> plain(request.getPlainMessage(), maxBytes);
				case ZSTD_COMPRESSED -> decompressor.read(request.getZstdCompressed().toByteArray());
				case PAYLOAD_NOT_SET ->
					invalid(request.getUnknownFields().asMap().isEmpty() ? "The message has no payload"
							: "The message has no payload of a known kind; send plain_message or zstd_compressed");
			};
		}
		catch (RuntimeException ex) {
			return new Unread(ex);
		}
	}

	private static Payload plain(ByteString bytes, int maxBytes) {
		return (bytes.size() <= maxBytes) ? new Readable(bytes.toByteArray()) : tooLarge(maxBytes);
	}

	static Refused invalid(String description) {
		return new Refused(Status.INVALID_ARGUMENT.withDescription(description));
	}

	static Refused tooLarge(int maxBytes) {
		return new Refused(Status.RESOURCE_EXHAUSTED
			.withDescription("The payload is larger than " + maxBytes + " bytes (sink.max-message)"));
	}

}
