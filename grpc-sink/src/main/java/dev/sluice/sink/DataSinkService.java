package dev.sluice.sink;

import java.time.Duration;
import java.util.List;
import java.util.ArrayList;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.sluice.contract.sink.AckMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Response;
import dev.sluice.sink.limit.RateLimitedLog;
import dev.sluice.sink.limit.SharedLimit;
import dev.sluice.sink.limit.StreamLimit;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.request.KnownDictionaries;
import dev.sluice.sink.request.Payload;
import dev.sluice.sink.request.Received;
import dev.sluice.sink.request.RequestMarshaller;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.store.OnceStore;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;
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

	private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);

	/** What a stream that waits for memory is expected to use. */
	private static final long MEMORY_STEP = Intake.PREFETCH_BYTES;

	private final Shared shared;

	private final InboundLimits inboundLimits;

	private final StreamLimit streamLimit;

	private final Set<SinkStream> streams = ConcurrentHashMap.newKeySet();

	private volatile boolean draining;

	DataSinkService(OnceStore store, Decompressor decompressor, SinkProperties properties, SinkMetrics metrics,
			ScheduledExecutorService timer, Executor executor, LongSupplier nanoTime) {
		long memory = properties.limits().memory().toBytes();
		this.shared = new Shared(properties, metrics, store, new SharedLimit(memory, MEMORY_STEP, executor),
				new SharedLimit(memory, properties.limits().maxMessageBytes(), executor),
				new SharedLimit(properties.limits().maxStoring(), 1, executor), decompressor, executor, timer, nanoTime,
				new RateLimitedLog(logger, LOG_INTERVAL, nanoTime));
		this.inboundLimits = new InboundLimits(properties, this.shared.memory(), nanoTime);
		this.streamLimit = new StreamLimit(properties.limits().maxStreams(), properties.limits().maxStreamsPerClient());
		metrics.memory(() -> this.shared.memory().used() + this.shared.decompressed().used());
	}

	/** Counts the bytes that calls receive, as a tracer and as an interceptor. */
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
			.addMethod(send, ServerCalls.asyncBidiStreamingCall(this::send))
			.addMethod(store, ServerCalls.asyncUnaryCall(this::store))
			.build();
	}

	private MethodDescriptor<Received, Response> method(MethodDescriptor<?, Response> generated) {
		return generated
			.toBuilder(new RequestMarshaller(this.shared.properties().limits().maxRequestBytes(),
					this.shared.properties().sessions().maxVersion()), generated.getResponseMarshaller())
			.build();
	}

	private StreamObserver<Received> send(StreamObserver<Response> responses) {
		InboundCall inbound = Objects.requireNonNull(InboundCall.CURRENT.get(), "The server has no inboundLimits()");
		Object client = inbound.client();
		String refusal = this.streamLimit.open(client);
		if (refusal != null) {
			inbound.ended();
			return refuse(responses, Status.RESOURCE_EXHAUSTED.withDescription(refusal));
		}
		SinkStream stream = new SinkStream((ServerCallStreamObserver<Response>) responses, inbound, this.shared,
				KnownDictionaries.CALL.get(), (closed) -> {
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

	private void store(Received received, StreamObserver<Response> responses) {
		switch (received) {
			case Received.Unnamed(Status status) -> responses.onError(status.asRuntimeException());
			case Received.Message message when message.sequence() > 0 && message.session() == null -> responses.onError(
					Status.INVALID_ARGUMENT.withDescription("A message with a sequence needs a session in its request")
						.asRuntimeException());
			case Received.Message message -> store(message, responses);
			case Received.Batch _ -> responses.onError(
					Status.INVALID_ARGUMENT.withDescription("Store takes one message per call; several go through Send")
						.asRuntimeException());
		}
	}

	private void store(Received.Message message, StreamObserver<Response> responses) {
		int contentBytes = this.shared.contentBytes(message);
		String refusal = reserve(contentBytes);
		if (refusal != null) {
			responses.onError(Status.UNAVAILABLE.withDescription(refusal).asRuntimeException());
			return;
		}
		this.shared.metrics().received();
		this.shared.memory().add(message.memoryBytes());
		InboundCall inbound = Objects.requireNonNull(InboundCall.CURRENT.get());
		inbound.handedOver();
		switch (this.shared.read(message)) {
			case Payload.Refused(Status status) -> answer(responses, status, message, contentBytes);
			case Payload.Unread(RuntimeException cause) ->
				answer(responses, StreamStorage.status(cause), message, contentBytes);
			case Payload.Readable readable -> {
				Timer.Sample sample = this.shared.metrics().storing();
				this.shared.store(message, readable.bytes(), inbound.owner(), new Fence())
					.copy()
					.orTimeout(this.shared.properties().store().timeout().toNanos(), TimeUnit.NANOSECONDS)
					.whenComplete((outcome, failure) -> {
						if (failure == null) {
							boolean repeat = outcome == OnceStore.Outcome.REPEATED;
							this.shared.metrics().stored(sample, repeat ? 0 : 1, repeat ? 1 : 0);
						}
						answer(responses, (failure == null) ? Status.OK : StreamStorage.status(failure), message,
								contentBytes);
					});
			}
		}
	}

	/** Reserves room for one message in the storage. Returns why it cannot, else null. */
	private @Nullable String reserve(int contentBytes) {
		String refusal = "The sink has as many messages as it takes at once";
		if (this.draining) {
			return "The sink is shutting down";
		}
		if (this.shared.memory().used() >= this.shared.properties().limits().memory().toBytes()
				|| !this.shared.storing().tryAcquire(1)) {
			return refusal;
		}
		if (contentBytes > 0 && !this.shared.decompressed().tryAcquire(contentBytes)) {
			this.shared.storing().release(1);
			return refusal;
		}
		return null;
	}

	private void answer(StreamObserver<Response> responses, Status status, Received.Message message, int contentBytes) {
		if (contentBytes > 0) {
			this.shared.decompressed().release(contentBytes);
		}
		this.shared.memory().release(message.memoryBytes());
		this.shared.storing().release(1);
		if (status.isOk()) {
			this.shared.metrics().acked(1);
			responses.onNext(Response.newBuilder()
				.setVersion(Payload.VERSION)
				.setAck(AckMessage.newBuilder().addMessageIds(message.id()))
				.build());
			responses.onCompleted();
		}
		else {
			this.shared.metrics().left(1);
			responses.onError(status.asRuntimeException());
		}
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

	/** Streams that are not over. */
	int streams() {
		return this.streams.size();
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
