package dev.sluice.sink;

import java.util.List;

import com.google.protobuf.ByteString;
import io.grpc.Status;

/** What a client sent: as much of a {@code Request} as the sink needs. */
sealed interface Received {

	/** How a payload came. */
	enum Kind {

		/** As it is. */
		PLAIN,

		/** As a zstd frame. */
		ZSTD,

		/** In a field that this version does not know, if at all. */
		UNKNOWN,

		/** Not at all. */
		NONE

	}

	/**
	 * A message that can be named.
	 *
	 * @param id 1 to 64 bytes
	 * @param kind of the payload
	 * @param payload as it came; empty if the kind is unknown or none. Not copied
	 */
	record Message(ByteString id, Kind kind, byte[] payload) implements Received {

		/**
		 * Memory that a message takes beside the bytes of its id and its payload: this
		 * record (24 bytes), the id (24), two arrays' headers (32), their padding and a
		 * place in a queue. {@code MemoryTests} measures it.
		 */
		static final int OVERHEAD_BYTES = 128;

		/** Memory that it takes while it waits, in bytes. */
		long memoryBytes() {
			return (long) OVERHEAD_BYTES + this.id.size() + this.payload.length;
		}

	}

	/**
	 * Messages of one request.
	 *
	 * @param messages 1 to {@value #MAX_MESSAGES}
	 */
	record Batch(List<Message> messages) implements Received {

		/**
		 * What clients are told. So many of no bytes take 32 KB, whatever the request
		 * has.
		 */
		static final int MAX_MESSAGES = 256;

		public Batch {
			messages = List.copyOf(messages);
		}

	}

	/**
	 * What cannot be named, so that its stream ends.
	 *
	 * @param status for the client; says what is wrong and how to mend it
	 */
	record Unnamed(Status status) implements Received {

		static Unnamed of(String description) {
			return new Unnamed(Status.INVALID_ARGUMENT.withDescription(description));
		}

	}

}
