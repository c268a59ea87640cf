package dev.sluice.sink;

import java.util.List;
import java.util.ArrayList;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Response;
import dev.sluice.sink.limit.RateLimitedLog;
import dev.sluice.sink.limit.SharedLimit;
import dev.sluice.sink.limit.StreamLimit;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.request.Received;
import dev.sluice.sink.request.RequestMarshaller;
import dev.sluice.sink.store.OnceStore;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sink's gRPC service: a {@link SinkStream} for each call. Limits:
 * <ul>
 * <li>{@code sink.limits.max-streams} and {@code sink.limits.max-streams-per-client}
 * streams.</li>
 * <li>{@code sink.limits.memory} bytes of messages, from the first byte of each to its
 * acknowledgement, and at most as much again for messages requested while there was
 * room.</li>
 * <li>{@code sink.limits.memory} bytes of decompressed messages in the storage, exceeded
 * by less than one message.</li>
 * <li>{@code sink.limits.max-storing} messages in the storage.</li>
 * </ul>
 * <p>
 * A server with this service must also have its {@link #inboundLimits}.
 */
final class DataSinkService implements BindableService {

	private static final Logger logger = LoggerFactory.getLogger(DataSinkService.class);

	private final Shared shared;

	private final InboundLimits inboundLimits;

	private final StreamLimit streamLimit;

	private final Set<SinkStream> streams = ConcurrentHashMap.newKeySet();

	private volatile boolean draining;

	DataSinkService(OnceStore store, Decompressor decompressor, SinkProperties properties, SinkMetrics metrics,
			ScheduledExecutorService timer, Executor executor, LongSupplier nanoTime) {
		long memory = properties.limits().memory().toBytes();
		this.shared = new Shared(properties, metrics, store, new SharedLimit(memory, Intake.PREFETCH_BYTES, executor),
				new SharedLimit(memory, properties.limits().maxMessageBytes(), executor),
				new SharedLimit(properties.limits().maxStoring(), 1, executor), decompressor, executor, timer, nanoTime,
				new RateLimitedLog(logger, nanoTime));
		this.inboundLimits = new InboundLimits(properties, this.shared.memory(), nanoTime);
		this.streamLimit = new StreamLimit(properties.limits().maxStreams(), properties.limits().maxStreamsPerClient());
		metrics.memory(() -> this.shared.memory().used() + this.shared.decompressed().used());
	}

	/** Counts the bytes that calls receive. */
	InboundLimits inboundLimits() {
		return this.inboundLimits;
	}

	/** Like the generated service, but with {@link RequestMarshaller} for requests. */
	@Override
	public ServerServiceDefinition bindService() {
		MethodDescriptor<Received, Response> send = method(DataSinkGrpc.getSendMethod());
		MethodDescriptor<Received, Response> store = method(DataSinkGrpc.getStoreMethod());
		ServiceDescriptor service = ServiceDescriptor.newBuilder(DataSinkGrpc.SERVICE_NAME)
			.setSchemaDescriptor(DataSinkGrpc.getServiceDescriptor().getSchemaDescriptor())
			.addMethod(send)
			.addMethod(store)
			.build();
		return ServerServiceDefinition.builder(service)
			.addMethod(send, ServerCalls.asyncBidiStreamingCall((responses) -> open(responses, false)))
			.addMethod(store, ServerCalls.asyncBidiStreamingCall((responses) -> open(responses, true)))
			.build();
	}

	private MethodDescriptor<Received, Response> method(MethodDescriptor<?, Response> generated) {
		return generated
			.toBuilder(new RequestMarshaller(this.shared.properties().limits().maxRequestBytes()),
					generated.getResponseMarshaller())
			.build();
	}

	/** A call of {@code Store} is a stream with a single message. */
	private StreamObserver<Received> open(StreamObserver<Response> responses, boolean single) {
		InboundCall inbound = Objects.requireNonNull(InboundCall.CURRENT.get(), "The server has no inboundLimits()");
		Object client = inbound.client();
		String refusal = this.streamLimit.open(client);
		if (refusal != null) {
			inbound.ended();
			return refuse(responses, Status.RESOURCE_EXHAUSTED.withDescription(refusal));
		}
		SinkStream stream = new SinkStream((ServerCallStreamObserver<Response>) responses, inbound, this.shared, single,
				(closed) -> {
					if (closed.over()) {
						this.streams.remove(closed);
					}
					this.streamLimit.close(client);
				});
		this.streams.add(stream);
		stream.open();
		if (this.draining) {
			stream.drain();
		}
		return stream;
	}

	/**
	 * Ends each stream once its messages are stored and acknowledged, and each new stream
	 * at once. Does not block.
	 */
	void drain() {
		this.draining = true;
		this.streams.forEach(SinkStream::drain);
	}

	/**
	 * Ends streams that are too old, streams that wait too long for the storage, and
	 * streams whose client does not finish a message or does not read. Call it
	 * periodically.
	 */
	void check() {
		long now = this.shared.nanoTime().getAsLong();
		this.inboundLimits.check();
		List<RuntimeException> bugs = new ArrayList<>();
		this.streams.removeIf((stream) -> {
			try {
				stream.check(now);
			}
			catch (RuntimeException ex) {
				bugs.add(ex);
			}
			return stream.over();
		});
		// A task that ran but needed no room has woken no other task.
		this.shared.memory().wake();
		this.shared.decompressed().wake();
		if (!bugs.isEmpty()) {
			throw new IllegalStateException(bugs.size() + " streams could not be checked", bugs.getFirst());
		}
	}

	private static StreamObserver<Received> refuse(StreamObserver<Response> responses, Status status) {
		responses.onError(status.asRuntimeException());
		return new StreamObserver<>() {

			@Override
			public void onNext(Received received) {
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
