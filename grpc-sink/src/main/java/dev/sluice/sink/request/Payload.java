package dev.sluice.sink.request;

import io.grpc.Status;

/** The result of reading a message's payload. */
public sealed interface Payload {

	/** The version of responses, and the oldest version of requests. */
	int VERSION = 1;

	/** The version of requests that may have a session and sequences. */
	int SEQUENCES_VERSION = 2;

	/**
	 * A payload to store.
	 *
	 * @param bytes the payload, decompressed
	 */
	record Readable(byte[] bytes) implements Payload {
	}

	/**
	 * A payload that is not stored. The message has an id, so it can be refused by it.
	 *
	 * @param status says what is wrong with it; UNAVAILABLE if it could not be read for a
	 * reason outside it, such as too little memory
	 */
	record Refused(Status status) implements Payload {
	}

	/**
	 * Reads a payload. Copies it only to decompress it.
	 * @param message the message as received
	 * @param maxBytes maximum size of the decompressed payload
	 * @param decompressor decompresses zstd frames
	 */
	static Payload read(Received.Message message, int maxBytes, Decompressor decompressor) {
		try {
			return switch (message.kind()) {
				case PLAIN ->
					(message.payload().length <= maxBytes) ? new Readable(message.payload()) : tooLarge(maxBytes);
				case ZSTD -> decompressor.read(message.payload());
				case NONE ->
					invalid("The message has no payload of a known kind; send plain_message or zstd_compressed");
			};
		}
		catch (RuntimeException ex) {
			return new Refused(Status.UNAVAILABLE.withDescription("The payload could not be read").withCause(ex));
		}
	}

	static Refused invalid(String description) {
		return new Refused(Status.INVALID_ARGUMENT.withDescription(description));
	}

	static Refused tooLarge(int maxBytes) {
		return new Refused(Status.RESOURCE_EXHAUSTED
			.withDescription("The payload is larger than " + maxBytes + " bytes (sink.limits.max-message)"));
	}

}
