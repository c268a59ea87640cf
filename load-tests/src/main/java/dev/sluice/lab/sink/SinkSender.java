package dev.sluice.lab.sink;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;

import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.contract.Topics;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.result.SinkResult.Mode;
import dev.sluice.lab.kit.result.SinkResult.Setting;
import dev.sluice.lab.kit.result.SinkResult.Transfer;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.client.spool.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client's side of one transfer, in a separate process so that its CPU time can be
 * measured. Warms up with other messages, makes all messages, moves them, and writes its
 * measurements.
 */
public final class SinkSender {

	/** The number of the reference. */
	static final int CONNECTIONS = 54;

	/**
	 * Size of the pool of messages, which are made before the clock starts and sent in
	 * turn.
	 */
	private static final long POOL_BYTES = 64_000_000;

	/** Moved again and again as a warm-up: some seconds over the slowest way. */
	private static final long WARM_UP_BYTES = 8_000_000;

	private static final long SPOOL_BYTES = 64_000_000;

	static final int ZSTD_LEVEL = 1;

	static final int SPOOL_THREADS = 8;

	/** Number of messages that a thread adds to the spool in one call. */
	static final int TOGETHER = 16;

	private static final Duration DEADLINE = Duration.ofMinutes(30);

	private final Job job;

	private final List<byte[]> pool;

	private final AtomicLong wireBytes = new AtomicLong();

	/** Number of ids given. */
	private final AtomicLong ids = new AtomicLong();

	/**
	 * A transfer to run.
	 *
	 * @param setting the bottleneck
	 * @param mode how to move the data
	 * @param repetition from 1
	 * @param target the sink's {@code host:port}, or Kafka's bootstrap servers
	 * @param bytes number of bytes to move
	 * @param warmUpSeconds minimum length of the warm-up
	 * @param sinkPid process whose CPU time is measured, too; 0 for none
	 * @param directory directory for a spool
	 */
	public record Job(Setting setting, Mode mode, int repetition, String target, long bytes, int warmUpSeconds,
			long sinkPid, String directory) {
	}

	/** Moves a number of messages, and returns when all are stored. */
	@FunctionalInterface
	private interface Move {

		void move(long messages) throws Exception;

	}

	private SinkSender(Job job) {
		this.job = job;
		this.pool = SinkData.load()
			.batches(SinkExperiment.SEED, Math.min(POOL_BYTES, Math.max(job.bytes(), WARM_UP_BYTES)));
	}

	/** Arguments: a {@link Job} as JSON, the file for its {@link Transfer}. */
	public static void main(String[] args) throws Exception {
		Transfer report = new SinkSender(JsonMapper.shared().readValue(args[0], Job.class)).run();
		Files.write(Path.of(args[1]), JsonMapper.shared().writeValueAsBytes(report));
		System.exit(0);
	}

	private Transfer run() throws Exception {
		return switch (this.job.mode()) {
			case STOP_AND_WAIT -> stopAndWait();
			case STREAM -> stream(options().withZstdLevel(0));
			case STREAM_ZSTD -> stream(options().withDictionary(false));
			case STREAM_DICTIONARY -> stream(options());
			case STREAM_SPOOL -> stream(SinkClientOptions.durable(Path.of(this.job.directory(), "spool"))
				.withSpoolBytes(SPOOL_BYTES)
				.withZstdLevel(0));
			case KAFKA -> kafka();
		};
	}

	private SinkClientOptions options() {
		return SinkClientOptions.inMemory().withSpoolBytes(SPOOL_BYTES).withZstdLevel(ZSTD_LEVEL);
	}

	private Transfer measure(int connections, Move move) throws Exception {
		warmUp(move);
		long wireBefore = this.wireBytes.get();
		Duration cpuBefore = cpu(ProcessHandle.current().pid());
		Duration sinkCpuBefore = cpu(this.job.sinkPid());
		long messages = messages(this.job.bytes());
		long start = System.nanoTime();
		move.move(messages);
		long end = System.nanoTime();
		Duration cpu = cpu(ProcessHandle.current().pid()).minus(cpuBefore);
		Duration sinkCpu = cpu(this.job.sinkPid()).minus(sinkCpuBefore);
		return new Transfer(this.job.setting(), this.job.mode(), this.job.repetition(), connections, messages,
				bytes(messages), this.wireBytes.get() - wireBefore, (end - start) / 1e9, cpu.toNanos() / 1e9,
				sinkCpu.toNanos() / 1e9);
	}

	private void warmUp(Move move) throws Exception {
		long end = System.nanoTime() + Duration.ofSeconds(this.job.warmUpSeconds()).toNanos();
		do {
			move.move(messages(WARM_UP_BYTES));
		}
		while (System.nanoTime() - end < 0);
	}

	/** CPU time of a process; none if it is not there. */
	private static Duration cpu(long pid) {
		return ProcessHandle.of(pid).flatMap((process) -> process.info().totalCpuDuration()).orElse(Duration.ZERO);
	}

	/** Takes messages from the pool in turn. */
	private byte[] message(long number) {
		return this.pool.get((int) (number % this.pool.size()));
	}

	private long bytes(long messages) {
		return LongStream.range(0, messages).map((number) -> message(number).length).sum();
	}

	/** Number of messages with this many bytes in total. */
	private long messages(long bytes) {
		long messages = 0;
		for (long sum = 0; sum < bytes; messages++) {
			sum += message(messages).length;
		}
		return messages;
	}

	/** An id that no message has had. */
	private byte[] id() {
		return ByteBuffer.allocate(2 * Long.BYTES)
			.putLong(ProcessHandle.current().pid())
			.putLong(this.ids.getAndIncrement())
			.array();
	}

	/** Counts the bytes of its requests. */
	private NettyChannelBuilder channel() {
		return NettyChannelBuilder.forTarget(this.job.target())
			.negotiationType(NegotiationType.PLAINTEXT)
			.intercept(new WireCounter());
	}

	/** Counts the bytes that calls send, with gRPC's framing, before HTTP/2's. */
	private final class WireCounter implements ClientInterceptor {

		@Override
		public <I, O> ClientCall<I, O> interceptCall(MethodDescriptor<I, O> method, CallOptions options, Channel next) {
			return next.newCall(method, options.withStreamTracerFactory(new ClientStreamTracer.Factory() {

				@Override
				public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
					return new ClientStreamTracer() {

						@Override
						public void outboundWireSize(long sent) {
							SinkSender.this.wireBytes.addAndGet(sent);
						}

					};
				}

			}));
		}

	}

	private Transfer stream(SinkClientOptions options) throws Exception {
		try (SinkClient client = SinkClient.open(channel(), options, DeliveryListener.NONE)) {
			boolean spool = this.job.mode() == Mode.STREAM_SPOOL;
			return measure(1, (messages) -> {
				inParallel(spool ? SPOOL_THREADS : 1, messages, spool ? TOGETHER : 1,
						(from, to) -> client.sendAll(messages(from, to), DEADLINE));
				if (!client.awaitEmpty(Patience.of(DEADLINE)) || client.stats().refused() > 0) {
					throw new IllegalStateException("Not all was stored: " + client.stats());
				}
			});
		}
	}

	private List<Message> messages(long from, long to) {
		List<Message> messages = new ArrayList<>();
		for (long number = from; number < to; number++) {
			messages.add(new Message(null, message(number)));
		}
		return messages;
	}

	private Transfer stopAndWait() throws Exception {
		List<ManagedChannel> channels = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			channels.add(channel().build());
		}
		try {
			List<DataSinkGrpc.DataSinkBlockingStub> stubs = channels.stream()
				.map(DataSinkGrpc::newBlockingStub)
				.toList();
			return measure(CONNECTIONS, (messages) -> {
				AtomicInteger next = new AtomicInteger();
				ThreadLocal<DataSinkGrpc.DataSinkBlockingStub> own = ThreadLocal
					.withInitial(() -> stubs.get(next.getAndIncrement() % CONNECTIONS));
				inParallel(CONNECTIONS, messages, 1, (number, _) -> own.get().store(request(number)));
			});
		}
		finally {
			channels.forEach(ManagedChannel::shutdownNow);
		}
	}

	private Request request(long number) {
		return Request.newBuilder()
			.setVersion(1)
			.setMessageId(UnsafeByteOperations.unsafeWrap(id()))
			.setPlainMessage(UnsafeByteOperations.unsafeWrap(message(number)))
			.build();
	}

	private Transfer kafka() throws Exception {
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(producerSettings(), new ByteArraySerializer(),
				new ByteArraySerializer())) {
			return measure(1, (messages) -> {
				AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
				for (long i = 0; i < messages; i++) {
					producer.send(new ProducerRecord<>(Topics.SINK, id(), message(i)),
							(_, ex) -> failure.compareAndSet(null, ex));
				}
				producer.flush();
				Exception failed = failure.get();
				if (failed != null) {
					throw failed;
				}
			});
		}
	}

	/** The settings of the sink's producer, from its {@code application.yaml}. */
	private Map<String, Object> producerSettings() {
		return Map.of("bootstrap.servers", this.job.target(), "acks", "all", "linger.ms", 5, "batch.size", 128 * 1024,
				"compression.type", "lz4", "buffer.memory", 64 * 1024 * 1024, "max.request.size", 1_100_000);
	}

	private interface Sending {

		/** Sends the messages in a range of numbers, without the last. */
		void send(long from, long to) throws Exception;

	}

	private static void inParallel(int threads, long messages, int together, Sending sending)
			throws InterruptedException, ExecutionException {
		AtomicLong next = new AtomicLong();
		Callable<Void> sender = () -> {
			for (long from = next.getAndAdd(together); from < messages; from = next.getAndAdd(together)) {
				sending.send(from, Math.min(messages, from + together));
			}
			return null;
		};
		try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
			for (Future<Void> one : executor.invokeAll(Collections.nCopies(threads, sender))) {
				one.get();
			}
		}
	}

}
