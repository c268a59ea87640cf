package dev.sluice.sink;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;

import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/**
 * The sink's gRPC service: a {@link SinkStream} for each call. Thread-safe. Bound:
 * {@code sink.max-streams}.
 */
final class DataSinkService extends DataSinkGrpc.DataSinkImplBase {

	private final MessageStore store;

	private final SinkProperties properties;

	private final SinkMetrics metrics;

	private final ScheduledExecutorService timer;

	private final Set<SinkStream> streams = ConcurrentHashMap.newKeySet();

	private volatile boolean draining;

	DataSinkService(MessageStore store, SinkProperties properties, SinkMetrics metrics,
			ScheduledExecutorService timer) {
		this.store = store;
		this.properties = properties;
		this.metrics = metrics;
		this.timer = timer;
	}

	@Override
	public StreamObserver<Request> send(StreamObserver<Response> responses) {
		if (this.streams.size() >= this.properties.maxStreams()) {
			return refuse(responses, Status.RESOURCE_EXHAUSTED.withDescription(
					this.properties.maxStreams() + " streams are open, as many as sink.max-streams allows"));
		}
		SinkStream stream = new SinkStream((ServerCallStreamObserver<Response>) responses, this.store, this.properties,
				this.metrics, this.timer, this.streams::remove);
		this.streams.add(stream);
		stream.open();
		if (this.draining) {
			stream.drain();
		}
		return stream;
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
