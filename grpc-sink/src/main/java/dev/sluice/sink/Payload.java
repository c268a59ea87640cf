package dev.sluice.sink;

import io.grpc.Status;

/** What the payload of a message comes to. */
sealed interface Payload {

	/** The version of responses, and the first one of requests. */
	int VERSION = 1;

	/** The version of requests that may have a session and sequences. */
	int SEQUENCES_VERSION = 2;

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

	/**
	 * A message that could not be read, through no fault of its own: memory was short.
	 *
	 * @param cause what was thrown
	 */
	record Unread(RuntimeException cause) implements Payload {
	}

	/**
	 * Reads a payload, without copying one that is not compressed.
	 * @param message that came
	 * @param maxBytes of the payload, decompressed
	 * @param decompressor for frames
	 */
	static Payload read(Received.Message message, int maxBytes, Decompressor decompressor) {
		try {
			return switch (message.kind()) {
				case PLAIN ->
					(message.payload().length <= maxBytes) ? new Readable(message.payload()) : tooLarge(maxBytes);
				case ZSTD -> decompressor.read(message.payload());
				case UNKNOWN ->
					invalid("The message has no payload of a known kind; send plain_message or zstd_compressed");
				case NONE -> invalid("The message has no payload");
			};
		}
		catch (RuntimeException ex) {
			return new Unread(ex);
		}
	}

	static Refused invalid(String description) {
		return new Refused(Status.INVALID_ARGUMENT.withDescription(description));
	}

	static Refused tooLarge(int maxBytes) {
		return new Refused(Status.RESOURCE_EXHAUSTED
			.withDescription("The payload is larger than " + maxBytes + " bytes (sink.max-message)"));
	}

}
