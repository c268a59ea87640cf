package dev.sluice.sink.client.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Session;
import dev.sluice.sink.client.spool.Spool.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Writes the messages of one stream as requests: compresses each, and batches small ones.
 * A request is sent when it is full, or when {@link #flush} is called because no more
 * messages follow for now. Messages not sent when the stream ends count as in flight, so
 * the session sends them on the next stream. Confined to the event loop. Bounded by one
 * request.
 */
final class RequestWriter implements AutoCloseable {

	/** Bytes of the tag of a message in a request with several. */
	private static final int TAG_BYTES = CodedOutputStream.computeTagSize(Request.MESSAGES_FIELD_NUMBER);

	private final int maxMessages;

	private final int maxBytes;

	private final @Nullable Compression compression;

	/** Null if the sink does not support sequences. */
	private final @Nullable WireSessions sessions;

	private final Consumer<Request> out;

	private final List<BatchedMessage> messages = new ArrayList<>();

	private int bytes;

	/** The announcement of the request's session; null if the sink has it. */
	private @Nullable Session announcement;

	/** The session that was announced, or will be with the next request. */
	private @Nullable ByteString announced;

	/**
	 * Creates a writer for one stream.
	 * @param maxMessages maximum number of messages in a request; 0 or 1 = each message
	 * is sent alone
	 * @param maxBytes maximum size of a request with several messages; a larger message
	 * is sent alone
	 * @param compression compresses messages, and is closed with this writer; null for
	 * none
	 * @param sessions session ids; null if the sink does not support sequences
	 * @param out receives the requests
	 */
	RequestWriter(int maxMessages, int maxBytes, @Nullable Compression compression, @Nullable WireSessions sessions,
			Consumer<Request> out) {
		this.maxMessages = maxMessages;
		this.maxBytes = maxBytes;
		this.compression = compression;
		this.sessions = sessions;
		this.out = out;
	}

	/** Adds a message to a request. */
	void write(Entry entry) {
		WireSessions names = this.sessions;
		boolean numbered = names != null && entry.hasOwnId();
		if (names != null && numbered) {
			announce(entry, names);
			names.sent(entry);
		}
		BatchedMessage message = message(entry, numbered);
		int size = CodedOutputStream.computeMessageSizeNoTag(message) + TAG_BYTES;
		if (this.bytes + size > this.maxBytes) {
			flush();
		}
		this.messages.add(message);
		this.bytes += size;
		if (this.messages.size() >= this.maxMessages || this.bytes >= this.maxBytes) {
			flush();
		}
	}

	/** The session id of a message; null if the sink does not support sequences. */
	@Nullable ByteString sessionOf(Entry entry) {
		return (this.sessions != null) ? this.sessions.id(entry.session()) : null;
	}

	/** All messages of a request belong to one session. */
	private void announce(Entry entry, WireSessions names) {
		ByteString session = names.id(entry.session());
		if (!session.equals(this.announced)) {
			flush();
			this.announced = session;
			this.announcement = names.announce(entry);
		}
	}

	/** Encodes a message, compressed if that makes it smaller. */
	private BatchedMessage message(Entry entry, boolean numbered) {
		BatchedMessage.Builder message = BatchedMessage.newBuilder()
			.setMessageId(entry.id())
			.setRoutingKey(entry.key());
		if (numbered) {
			message.setSequence(WireSessions.sequence(entry.number()));
		}
		byte[] frame = (this.compression != null) ? this.compression.compress(entry.payload()) : null;
		return ((frame != null) ? message.setZstdCompressed(UnsafeByteOperations.unsafeWrap(frame))
				: message.setPlainMessage(UnsafeByteOperations.unsafeWrap(entry.payload())))
			.build();
	}

	/** Sends the request, although it is not full. */
	void flush() {
		if (this.messages.isEmpty()) {
			return;
		}
		Request.Builder request = Request.newBuilder()
			.setVersion((this.sessions != null) ? SinkCall.SEQUENCES_VERSION : SinkCall.VERSION);
		if (this.announcement != null) {
			request.setSession(this.announcement);
			this.announcement = null;
		}
		if (this.messages.size() == 1) {
			BatchedMessage only = this.messages.getFirst();
			request.setMessageId(only.getMessageId())
				.setSequence(only.getSequence())
				.setRoutingKey(only.getRoutingKey());
			if (only.hasZstdCompressed()) {
				request.setZstdCompressed(only.getZstdCompressed());
			}
			else {
				request.setPlainMessage(only.getPlainMessage());
			}
		}
		else {
			request.addAllMessages(this.messages);
		}
		this.messages.clear();
		this.bytes = 0;
		this.out.accept(request.build());
	}

	@Override
	public void close() {
		if (this.compression != null) {
			this.compression.close();
		}
	}

}
