package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.Dictionary;
import dev.sluice.contract.sink.Refusal;
import dev.sluice.contract.sink.Response;
import dev.sluice.contract.sink.ServiceMessage;
import dev.sluice.sink.StreamStorage.Answer;
import dev.sluice.sink.request.Payload;
import dev.sluice.sink.request.Received;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import org.jspecify.annotations.Nullable;

/**
 * The responses of one stream that are not written yet. Refusals go before
 * acknowledgements. Not thread-safe: the stream's lock guards it, and it writes while the
 * lock is held.
 * <p>
 * Acknowledgements are written when there are enough for a batch, when the oldest has
 * waited for {@code ackDelay}, when nothing else is in process, and as soon as a client
 * that was too slow to read is ready again.
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

	private final Shared shared;

	/** Ids of messages that are stored and not yet acknowledged. */
	private final Queue<ByteString> stored = new ArrayDeque<>();

	private final List<Refusal> refusals = new ArrayList<>();

	/** Whether the only response is the acknowledgement of one message, or a status. */
	private final boolean single;

	/** Why the single message is refused. */
	private @Nullable Status refused;

	private boolean infoPending;

	private long dropped;

	/** Memory of responses not yet written, or written when the client was not ready. */
	private long bytes;

	/** Whether the client has something to read and was not ready at the last check. */
	private boolean unread;

	private long unreadSinceNanos;

	Outbox(ServerCallStreamObserver<Response> responses, Shared shared, boolean single) {
		this.single = single;
		this.responses = responses;
		this.shared = shared;
	}

	/** Writes the stream's first response, with the dictionary if the sink has one. */
	void writeFirst() {
		if (this.single) {
			return;
		}
		ServiceMessage.Builder info = info();
		Dictionary dictionary = this.shared.decompressor().dictionary();
		if (dictionary != null) {
			info.setDictionary(dictionary);
		}
		write(info);
	}

	/** Reports the capacity again. */
	void reportCapacity() {
		this.infoPending = !this.single;
	}

	/** Counts a message that the client has to send again. */
	void dropped() {
		this.dropped++;
	}

	void acknowledge(ByteString id) {
		this.stored.add(id);
		reserve(ACK_BYTES + id.size());
	}

	/**
	 * Takes the refusals of messages that will never be stored.
	 * @param stored receives the ids of messages that are stored
	 * @return why others were not stored now; null if there are none
	 */
	@Nullable Status refuse(List<Answer> answers, List<ByteString> stored) {
		Status notNow = null;
		for (Answer answer : answers) {
			Status failure = answer.failure();
			if (failure == null) {
				stored.add(answer.id());
			}
			else if (failure.getCode() == Status.Code.UNAVAILABLE) {
				notNow = (notNow != null) ? notNow : failure;
				this.shared.metrics().left(1);
			}
			else {
				refuse(answer.id(), failure);
			}
		}
		return notNow;
	}

	private void refuse(ByteString id, Status status) {
		this.shared.metrics().refused();
		if (this.single) {
			this.refused = status;
			return;
		}
		this.refusals.add(Refusal.newBuilder()
			.setMessageId(id)
			.setCode(status.getCode().value())
			.setDescription(String.valueOf(status.getDescription()))
			.build());
		reserve(REFUSAL_BYTES + id.size());
	}

	private void reserve(int more) {
		this.bytes += more;
		this.shared.memory().add(more);
	}

	/** Whether what waits must not wait longer, with some more acknowledgements. */
	boolean isUrgentWith(int more) {
		return !this.refusals.isEmpty() || this.stored.size() + more >= this.shared.properties().stream().ackBatch();
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

	/** Runs the task after {@code sink.stream.ack-delay}. It may find nothing to do. */
	void startTimer(Runnable task) {
		var _ = this.shared.timer()
			.schedule(task, this.shared.properties().stream().ackDelay().toNanos(), TimeUnit.NANOSECONDS);
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

	/**
	 * Writes everything, however slowly the client reads, and ends the call. There are at
	 * most as many acknowledgements as the queue's capacity plus the messages that were
	 * in the storage.
	 * @param status null for OK
	 */
	void end(@Nullable Status status) {
		while (!isEmpty()) {
			writeOne();
		}
		Status end = (status != null) ? status : this.refused;
		if (end == null) {
			this.responses.onCompleted();
		}
		else {
			this.responses.onError(end.asRuntimeException());
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
			.setQueueCapacity(this.shared.properties().stream().queueCapacity())
			.setMaxMessageBytes(this.shared.properties().limits().maxMessageBytes())
			.setDropped(this.dropped)
			.setZstd(true)
			.setBatchMessages(Received.Batch.MAX_MESSAGES)
			.setMinVersion(Payload.VERSION)
			.setMaxVersion(Payload.SEQUENCES_VERSION)
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
		while (ids.size() < this.shared.properties().stream().ackBatch() && !this.stored.isEmpty()) {
			ids.add(this.stored.remove());
		}
		this.responses.onNext(Response.newBuilder()
			.setVersion(Payload.VERSION)
			.setAck(AckMessage.newBuilder().addAllMessageIds(ids))
			.build());
		this.shared.metrics().acked(ids.size());
	}

	/**
	 * The status that ends the stream if the client has not read a response for
	 * {@code sink.stream.stall-timeout}, else null. Call it periodically.
	 */
	@Nullable Status unread(long nowNanos) {
		if (isEmpty() || this.responses.isReady()) {
			this.unread = false;
		}
		else if (!this.unread) {
			this.unread = true;
			this.unreadSinceNanos = nowNanos;
		}
		Duration timeout = this.shared.properties().stream().stallTimeout();
		return (this.unread && nowNanos - this.unreadSinceNanos > timeout.toNanos()) ? Status.DEADLINE_EXCEEDED
			.withDescription("The client has not read its responses for %s ms (sink.stream.stall-timeout)"
				.formatted(timeout.toMillis())) : null;
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
		this.shared.memory().release(released);
	}

}
