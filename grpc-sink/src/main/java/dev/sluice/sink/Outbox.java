package dev.sluice.sink;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.Dictionary;
import dev.sluice.contract.sink.Refusal;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import org.jspecify.annotations.Nullable;

/**
 * The responses of one stream that are not written yet. Refusals go before
 * acknowledgements. Not thread-safe: the stream's lock guards it, and it writes while the
 * lock is held.
 * <p>
 * Its memory counts until the client has taken what was written. The stream bounds it: it
 * receives no more messages while {@link #size} is the queue's capacity.
 */
final class Outbox {

	/** Memory of an acknowledgement not yet written, without its id. */
	private static final int ACK_BYTES = 64;

	/** Memory of a refusal not yet written, with its description, without its id. */
	private static final int REFUSAL_BYTES = 512;

	private final ServerCallStreamObserver<Response> responses;

	private final SinkProperties properties;

	private final SharedLimit memory;

	private final SinkMetrics metrics;

	/** Ids of messages that are stored and not yet acknowledged. */
	private final Queue<ByteString> stored = new ArrayDeque<>();

	private final List<Refusal> refusals = new ArrayList<>();

	private boolean infoPending;

	private long dropped;

	/** Memory of responses not yet written, or written when the client was not ready. */
	private long bytes;

	/** Whether the client has something to read and was not ready at the last check. */
	private boolean unread;

	private long unreadSinceNanos;

	Outbox(ServerCallStreamObserver<Response> responses, SinkProperties properties, SharedLimit memory,
			SinkMetrics metrics) {
		this.responses = responses;
		this.properties = properties;
		this.memory = memory;
		this.metrics = metrics;
	}

	/**
	 * Writes the stream's first response.
	 * @param dictionary dictionary for the client; null if the sink has none
	 * @param known ids of the dictionaries that the client has
	 */
	void writeFirst(@Nullable Dictionary dictionary, Set<Integer> known) {
		ServiceMessage.Builder info = info();
		if (dictionary != null) {
			info.setDictionary(
					known.contains(dictionary.getId()) ? dictionary.toBuilder().clearContent().build() : dictionary);
		}
		write(info);
	}

	/** Reports the capacity again. */
	void reportCapacity() {
		this.infoPending = true;
	}

	/** Counts a message that the client has to send again. */
	void dropped() {
		this.dropped++;
	}

	void acknowledge(ByteString id) {
		this.stored.add(id);
		reserve(ACK_BYTES + id.size());
	}

	void refuse(ByteString id, Status status) {
		this.refusals.add(Refusal.newBuilder()
			.setMessageId(id)
			.setCode(status.getCode().value())
			.setDescription(String.valueOf(status.getDescription()))
			.build());
		reserve(REFUSAL_BYTES + id.size());
		this.metrics.refused();
	}

	private void reserve(int more) {
		this.bytes += more;
		this.memory.add(more);
	}

	/** Acknowledgements that wait. */
	int acknowledgements() {
		return this.stored.size();
	}

	/** Acknowledgements and refusals that wait. */
	int size() {
		return this.stored.size() + this.refusals.size();
	}

	/** Whether it urgently has to tell the client something. */
	boolean hasInfo() {
		return this.infoPending;
	}

	private boolean isEmpty() {
		return !this.infoPending && this.refusals.isEmpty() && this.stored.isEmpty();
	}

	/** Writes while the client is ready to read. */
	void flush() {
		while (!isEmpty() && this.responses.isReady()) {
			writeOne();
			if (isEmpty()) {
				release();
			}
		}
	}

	/** Writes everything, however slowly the client reads. */
	void flushAll() {
		while (!isEmpty()) {
			writeOne();
		}
	}

	private void writeOne() {
		if (this.infoPending || !this.refusals.isEmpty()) {
			write(info());
		}
		else {
			writeAcknowledgement();
		}
	}

	private ServiceMessage.Builder info() {
		ServiceMessage.Builder info = ServiceMessage.newBuilder()
			.setQueueCapacity(this.properties.stream().queueCapacity())
			.setWindow(this.properties.stream().window())
			.setMaxMessageBytes(this.properties.limits().maxMessageBytes())
			.setDropped(this.dropped)
			.setZstd(true)
			.setBatchMessages(Received.Batch.MAX_MESSAGES)
			.setMinVersion(Payload.VERSION)
			.setMaxVersion(this.properties.sessions().maxVersion())
			.addAllRefusals(this.refusals);
		this.refusals.clear();
		this.infoPending = false;
		return info;
	}

	private void write(ServiceMessage.Builder info) {
		this.responses.onNext(Response.newBuilder().setVersion(Payload.VERSION).setInfo(info).build());
	}

	private void writeAcknowledgement() {
		List<ByteString> ids = new ArrayList<>();
		while (ids.size() < this.properties.stream().ackBatch() && !this.stored.isEmpty()) {
			ids.add(this.stored.remove());
		}
		this.responses.onNext(Response.newBuilder()
			.setVersion(Payload.VERSION)
			.setAck(AckMessage.newBuilder().addAllMessageIds(ids))
			.build());
		this.metrics.acked(ids.size());
	}

	/**
	 * Whether the client has not read a response for {@code sink.stream.stall-timeout}.
	 * Call it periodically.
	 */
	boolean isUnread(long nowNanos) {
		if (isEmpty() || this.responses.isReady()) {
			this.unread = false;
		}
		else if (!this.unread) {
			this.unread = true;
			this.unreadSinceNanos = nowNanos;
		}
		return this.unread && nowNanos - this.unreadSinceNanos > this.properties.stream().stallTimeout().toNanos();
	}

	/** Forgets what is not written. */
	void clear() {
		this.stored.clear();
		this.refusals.clear();
		this.infoPending = false;
	}

	/** Releases the memory of responses that the client has taken, or never will. */
	void release() {
		long released = this.bytes;
		this.bytes = 0;
		this.memory.release(released);
	}

}
