package dev.sluice.sink;

import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

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
	 * @param key for the partition, up to 128 bytes; empty = none
	 * @param kind of the payload
	 * @param payload as it came; empty if the kind is unknown or none. Not copied
	 * @param sequence in its session; 0 = none
	 * @param session whose it is; null if the stream says so, or if it has no sequence
	 */
	record Message(ByteString id, ByteString key, Kind kind, byte[] payload, long sequence,
			@Nullable ClientSession session) implements Received {

		/**
		 * Memory that a message takes beside the bytes of its id and its payload: this
		 * record (40 bytes), the id (24), two arrays' headers (32), their padding and a
		 * place in a queue. {@code MemoryTests} measures it.
		 */
		static final int OVERHEAD_BYTES = 144;

		/** Memory that a key takes beside its bytes: an object and an array's header. */
		static final int KEY_OVERHEAD_BYTES = 48;

		/** The same message, if the stream says whose it is. */
		Message of(@Nullable ClientSession ofStream) {
			return (this.sequence == 0 || this.session != null) ? this
					: new Message(this.id, this.key, this.kind, this.payload, this.sequence, ofStream);
		}

		/** Null if it has no sequence. */
		@Nullable Place place(Fence fence) {
			return (this.session != null && this.sequence > 0) ? new Place(this.session, this.sequence, fence) : null;
		}

		/** Memory that it takes while it waits, in bytes. */
		long memoryBytes() {
			int key = this.key.isEmpty() ? 0 : KEY_OVERHEAD_BYTES + this.key.size();
			return (long) OVERHEAD_BYTES + this.id.size() + key + this.payload.length;
		}

	}

	/**
	 * Messages of one request.
	 *
	 * @param messages 1 to {@value #MAX_MESSAGES}
	 * @param session whose they are; null if the request does not say
	 */
	record Batch(List<Message> messages, @Nullable ClientSession session) implements Received {

		/**
		 * What clients are told. So many of no bytes take 36 KB, whatever the request
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
