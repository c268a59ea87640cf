package dev.sluice.sink.client.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.ServiceMessage;
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
public final class RequestWriter implements AutoCloseable {

	/** The version of requests with sequences. */
	public static final int VERSION = 2;

	/**
	 * Maximum size of a request with several messages. A larger message is sent alone.
	 */
	private static final int BATCH_BYTES = 16 * 1024;

	/** Bytes of the tag of a message in a request with several. */
	private static final int TAG_BYTES = CodedOutputStream.computeTagSize(Request.MESSAGES_FIELD_NUMBER);

	private final int maxMessages;

	private final int maxBytes;

	private final @Nullable Compression compression;

	private final WireSessions sessions;

	private final Consumer<Request> out;

	private final List<BatchedMessage> messages = new ArrayList<>();

	private int bytes;

	/** The announcement of the request's session; null if the sink has it. */
	private @Nullable Session announcement;

	/** The session that was announced, or will be with the next request. */
	private @Nullable ByteString announced;

	/**
	 * Creates a writer for one stream, which uses what the sink supports.
	 * @param info the first response of the stream
	 * @param zstdLevel compression level; 0 = none
	 * @param dictionary whether to use the sink's dictionary, if it has one
	 * @param sessions session ids
	 * @param out receives the requests
	 */
	public RequestWriter(ServiceMessage info, int zstdLevel, boolean dictionary, WireSessions sessions,
			Consumer<Request> out) {
		this.maxMessages = info.getBatchMessages();
		this.maxBytes = (info.getMaxMessageBytes() > 0) ? Math.min(BATCH_BYTES, info.getMaxMessageBytes())
				: BATCH_BYTES;
		this.compression = (info.getZstd() && zstdLevel > 0 && Compression.AVAILABLE)
				? new Compression(zstdLevel, dictionary ? dictionary(info) : null) : null;
		this.sessions = sessions;
		this.out = out;
	}

	/** The sink's dictionary; null if it has none, or one that has another id. */
	private static byte @Nullable [] dictionary(ServiceMessage info) {
		byte[] content = info.getDictionary().getContent().toByteArray();
		int id = info.getDictionary().getId();
		return (id != 0 && id == (int) Zstd.getDictIdFromDict(content)) ? content : null;
	}

	/** Adds a message to a request. */
	public void write(Entry entry) {
		boolean numbered = entry.hasOwnId();
		if (numbered) {
			announce(entry);
			this.sessions.sent(entry);
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

	/** All messages of a request belong to one session. */
	private void announce(Entry entry) {
		ByteString session = this.sessions.id(entry.session());
		if (!session.equals(this.announced)) {
			flush();
			this.announced = session;
			this.announcement = this.sessions.announce(entry);
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
	public void flush() {
		if (this.messages.isEmpty()) {
			return;
		}
		Request.Builder request = Request.newBuilder().setVersion(VERSION);
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
