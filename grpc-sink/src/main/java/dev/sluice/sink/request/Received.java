package dev.sluice.sink.request;

import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** A {@code Request} from a client, with the fields that the sink needs. */
public sealed interface Received {

	/** How a client sent a payload. */
	enum Kind {

		/** Uncompressed. */
		PLAIN,

		/** As a zstd frame. */
		ZSTD,

		/** Not at all, or in a field that this version does not know. */
		NONE

	}

	/**
	 * A message with a valid id.
	 *
	 * @param id 1 to 64 bytes
	 * @param key routing key, up to 128 bytes; empty = none
	 * @param kind kind of the payload
	 * @param payload payload as received, not copied; empty if there is none
	 * @param sequence number in its session; 0 = none
	 * @param session its session; null if the stream's session applies, or if it has no
	 * sequence
	 */
	record Message(ByteString id, ByteString key, Kind kind, byte[] payload, long sequence,
			@Nullable ClientSession session) implements Received {

		/**
		 * Memory of a message without the bytes of its id and its payload: this record
		 * (40 bytes), the id (24), two array headers (32), their padding and a place in a
		 * queue. {@code MemoryTests} measures it.
		 */
		public static final int OVERHEAD_BYTES = 144;

		/** Memory of a key without its bytes: an object and an array header. */
		static final int KEY_OVERHEAD_BYTES = 48;

		/** This message in a session of its stream, unless it has no sequence. */
		public Message of(@Nullable ClientSession ofStream) {
			return (this.sequence == 0 || this.session == ofStream) ? this
					: new Message(this.id, this.key, this.kind, this.payload, this.sequence, ofStream);
		}

		/**
		 * Whether storing it does not block: one without a sequence may wait for room,
		 * and a zstd frame is decompressed first.
		 */
		public boolean isQueuedAtOnce() {
			return this.sequence > 0 && this.kind != Kind.ZSTD;
		}

		/** Null if it has no sequence. */
		public @Nullable Place place(Fence fence) {
			return (this.session != null && this.sequence > 0) ? new Place(this.session, this.sequence, fence) : null;
		}

		/** Memory of the message while it waits, in bytes. */
		public long memoryBytes() {
			int key = this.key.isEmpty() ? 0 : KEY_OVERHEAD_BYTES + this.key.size();
			return (long) OVERHEAD_BYTES + this.id.size() + key + this.payload.length;
		}

	}

	/**
	 * Messages of one request.
	 *
	 * @param messages 1 to {@value #MAX_MESSAGES}
	 * @param session their session; null if the request has none
	 */
	record Batch(List<Message> messages, @Nullable ClientSession session) implements Received {

		/**
		 * The {@code batch_messages} that clients are sent. This many empty messages take
		 * 36 KB, however small the request is.
		 */
		public static final int MAX_MESSAGES = 256;

		public Batch {
			messages = List.copyOf(messages);
		}

	}

	/**
	 * A request without a valid id or version, which ends its stream.
	 *
	 * @param status for the client; says what is wrong and how to fix it
	 */
	record Unnamed(Status status) implements Received {

		static Unnamed of(String description) {
			return new Unnamed(Status.INVALID_ARGUMENT.withDescription(description));
		}

	}

	/** A request larger than any may be, which ends its stream. */
	record TooLarge() implements Received {
	}

}
