package dev.sluice.sink;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.sink.store.OnceStore;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Timer;

/**
 * The sink's gRPC service: a {@link SinkStream} for each call. Thread-safe. Bounds:
 * {@code sink.max-streams}; {@code sink.memory} of bytes, exceeded at most by four
 * messages of each stream; as many bytes again by which messages in the storage have
 * grown when they were decompressed, exceeded at most by one message of each stream;
 * {@code sink.max-storing} messages in the storage.
 */
final class DataSinkService extends DataSinkGrpc.DataSinkImplBase {

	private final Shared shared;

	private final SinkProperties properties;

	private final SinkMetrics metrics;

	private final ScheduledExecutorService timer;

	private final Set<SinkStream> streams = ConcurrentHashMap.newKeySet();

	private volatile boolean draining;

	/**
	 * What all streams share.
	 *
	 * @param store keeps the messages
	 * @param bytes of messages that are not stored yet, as they are now
	 * @param grown of these, what messages in the storage are larger than they came. Not
	 * bounded with the others: messages that wait would keep those out that make room
	 * @param places in the storage
	 * @param decompressor reads what is compressed
	 * @param executor runs what may wait
	 */
	record Shared(OnceStore store, SharedLimit bytes, SharedLimit grown, SharedLimit places, Decompressor decompressor,
			Executor executor) {

		/** What a message is larger than it came, until the storage is done with it. */
		void grow(long by) {
			this.bytes.add(by);
			this.grown.add(by);
		}

		void shrink(long by) {
			this.bytes.remove(by);
			this.grown.remove(by);
		}

	}

	DataSinkService(OnceStore store, SinkProperties properties, SinkMetrics metrics, ScheduledExecutorService timer,
			Executor executor) {
		long memory = properties.memory().toBytes();
		this.shared = new Shared(store, new SharedLimit(memory, executor), new SharedLimit(memory, executor),
				new SharedLimit(properties.maxStoring(), executor),
				Decompressor.of(properties.maxMessageBytes(), properties.dictionary()), executor);
		this.properties = properties;
		this.metrics = metrics;
		this.timer = timer;
		metrics.bytes(this.shared.bytes()::used);
	}

	@Override
	public StreamObserver<Request> send(StreamObserver<Response> responses) {
		if (this.streams.size() >= this.properties.maxStreams()) {
			return refuse(responses, Status.RESOURCE_EXHAUSTED.withDescription(
					this.properties.maxStreams() + " streams are open, as many as sink.max-streams allows"));
		}
		SinkStream stream = new SinkStream((ServerCallStreamObserver<Response>) responses, this.shared, this.properties,
				this.metrics, this.timer, KnownDictionaries.CALL.get(), this.streams::remove);
		this.streams.add(stream);
		stream.open();
		if (this.draining) {
			stream.drain();
		}
		return stream;
	}

	@Override
	public void store(Request message, StreamObserver<Response> responses) {
		Status unnamed = Payload.unnamed(message);
		if (unnamed != null) {
			responses.onError(unnamed.asRuntimeException());
			return;
		}
		if (this.draining || this.shared.bytes().used() >= this.properties.memory().toBytes()
				|| !this.shared.places().tryEnter()) {
			responses.onError(Status.UNAVAILABLE
				.withDescription(
						this.draining ? "The sink is shutting down" : "The storage has as much as it takes at once")
				.asRuntimeException());
			return;
		}
		this.metrics.received();
		this.shared.bytes().add(message.getSerializedSize());
		switch (Payload.read(message, this.properties.maxMessageBytes(), this.shared.decompressor())) {
			case Payload.Refused(Status status) -> answer(responses, status, message);
			case Payload.Unread(RuntimeException cause) -> answer(responses, SinkStream.status(cause), message);
			case Payload.Readable readable -> {
				long grown = readable.grown(message);
				this.shared.grow(grown);
				Timer.Sample sample = this.metrics.storing();
				this.shared.store().store(message.getMessageId(), readable.bytes()).whenComplete((outcome, failure) -> {
					this.shared.shrink(grown);
					if (failure == null) {
						this.metrics.stored(sample, outcome == OnceStore.Outcome.REPEATED);
					}
					answer(responses, (failure == null) ? Status.OK : SinkStream.status(failure), message);
				});
			}
		}
	}

	private void answer(StreamObserver<Response> responses, Status status, Request message) {
		this.shared.bytes().remove(message.getSerializedSize());
		this.shared.places().remove(1);
		if (status.isOk()) {
			this.metrics.acked(1);
			responses.onNext(Response.newBuilder()
				.setVersion(Payload.VERSION)
				.setAck(AckMessage.newBuilder().addMessageIds(message.getMessageId()))
				.build());
			responses.onCompleted();
		}
		else {
			this.metrics.left(1);
			responses.onError(status.asRuntimeException());
		}
	}

	/**
	 * Ends each stream once what it has in process is stored and acknowledged, and each
	 * new one at once. Does not wait.
	 */
	void drain() {
		this.draining = true;
		this.streams.forEach(SinkStream::drain);
	}

	private static StreamObserver<Request> refuse(StreamObserver<Response> responses, Status status) {
		responses.onError(status.asRuntimeException());
		return new StreamObserver<>() {

			@Override
			public void onNext(Request request) {
			}

			@Override
			public void onError(Throwable cause) {
			}

			@Override
			public void onCompleted() {
			}

		};
	}

}
