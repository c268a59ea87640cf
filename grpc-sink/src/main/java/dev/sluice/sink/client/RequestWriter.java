package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Session;
import dev.sluice.sink.client.Spool.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests of the messages of one stream: compresses each, and puts small ones
 * together. A request goes when it is full, and else when {@link #rest} says that no more
 * messages are at hand, or {@code linger} later. What has not gone when the stream ends
 * is in flight for the session, which sends it on the next stream. Confined to the event
 * loop. Bound: one request.
 */
final class RequestWriter implements AutoCloseable {

	/** The version of responses, and of requests without sequences. */
	static final int VERSION = 1;

	/** The version of requests with sequences. */
	static final int SEQUENCES_VERSION = 2;

	/** Of a message in a request with several: its tag and its length. */
	private static final int TAG_BYTES = CodedOutputStream.computeTagSize(Request.MESSAGES_FIELD_NUMBER);

	private final int maxMessages;

	private final int maxBytes;

	private final Duration linger;

	private final @Nullable Compression compression;

	/** Null if the sink does not know sequences. */
	private final @Nullable WireSessions sessions;

	private final Consumer<Request> out;

	private final BiConsumer<Duration, Runnable> scheduler;

	private final List<BatchedMessage> messages = new ArrayList<>();

	private int bytes;

	/** What the request says of its session; null if the sink knows. */
	private @Nullable Session announcement;

	/** The session that the sink knows, or will when the request has gone. */
	private @Nullable ByteString announced;

	/** How many requests have gone. */
	private long requests;

	/** The number of the request that a timer runs for. */
	private long lingering = -1;

	private boolean closed;

	/**
	 * Writes to one stream.
	 * @param maxMessages of a request
	 * @param maxBytes of a request with several messages; a larger message goes alone
	 * @param linger how long the first message of a request waits for others
	 * @param compression null for none; closed with this
	 * @param sessions null if the sink does not know sequences
	 * @param out where to requests go
	 * @param scheduler runs a task later, on the event loop
	 */
	RequestWriter(int maxMessages, int maxBytes, Duration linger, @Nullable Compression compression,
			@Nullable WireSessions sessions, Consumer<Request> out, BiConsumer<Duration, Runnable> scheduler) {
		this.maxMessages = maxMessages;
		this.maxBytes = maxBytes;
		this.linger = linger;
		this.compression = compression;
		this.sessions = sessions;
		this.out = out;
		this.scheduler = scheduler;
	}

	/** Adds a message to a request. */
	void write(Entry entry) {
		WireSessions names = this.sessions;
		boolean numbered = names != null && entry.hasOwnId();
		if (names != null && numbered) {
			announce(entry, names);
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

	/** Messages of a request are of one session. */
	private void announce(Entry entry, WireSessions names) {
		ByteString session = names.id(entry.session());
		if (!session.equals(this.announced)) {
			flush();
			this.announced = session;
			this.announcement = names.announce(entry);
		}
	}

	/** Never larger than the message as it is. */
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

	/**
	 * There are no more messages at hand.
	 * @param now whether no more can come, so that waiting is in vain
	 */
	void rest(boolean now) {
		if (now || this.linger.isZero()) {
			flush();
		}
		else if (!this.messages.isEmpty() && this.lingering != this.requests) {
			long request = this.requests;
			this.lingering = request;
			this.scheduler.accept(this.linger, () -> {
				if (request == this.requests) {
					flush();
				}
			});
		}
	}

	private void flush() {
		if (this.messages.isEmpty() || this.closed) {
			return;
		}
		Request.Builder request = Request.newBuilder()
			.setVersion((this.sessions != null) ? SEQUENCES_VERSION : VERSION);
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
		this.requests++;
		this.out.accept(request.build());
	}

	@Override
	public void close() {
		this.closed = true;
		if (this.compression != null) {
			this.compression.close();
		}
	}

}
