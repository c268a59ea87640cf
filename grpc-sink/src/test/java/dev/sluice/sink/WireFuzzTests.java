package dev.sluice.sink;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.DataSinkGrpc;
import dev.sluice.contract.sink.Request;
import dev.sluice.contract.sink.Response;
import dev.sluice.sink.request.Decompressor;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status.Code;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Streams of requests, intact and damaged. Each stream ends with a status of the
 * protocol, acknowledged messages are stored as they were sent, and no memory is in use
 * afterwards.
 */
class WireFuzzTests {

	private static final int ROUNDS = 1_500;

	private static final Set<Code> EXPECTED = Set.of(Code.INVALID_ARGUMENT, Code.RESOURCE_EXHAUSTED, Code.UNAVAILABLE);

	private MemoryStore store = new MemoryStore();

	/** Shared by all rounds: it keeps its native memory until it is garbage-collected. */
	private final Decompressor decompressor = new Decompressor(1024 * 1024, null);

	private static final SinkProperties PROPERTIES = Settings.of("sink.stream.queue-capacity=100",
			"sink.limits.memory=8MB", "sink.limits.max-storing=1000", "sink.stream.max-age=0",
			"sink.stream.ack-batch=1", "sink.stream.ack-delay=0", "sink.store.timeout=1m",
			"sink.store.repeat-horizon=1000");

	@Test
	void everyStreamEndsAndStoresWhatItAcknowledges() {
		Fuzz.run(ROUNDS, this::check);
	}

	private void check(Random random) throws Exception {
		this.store = new MemoryStore();
		try (InProcessSink sink = new InProcessSink(this.store, this.decompressor, Runnable::run, PROPERTIES)) {
			check(random, sink.channel);
			assertThat(sink.gauge(SinkMetric.MEMORY)).as("bytes held").isZero();
			assertThat(sink.gauge(SinkMetric.STREAMS)).as("streams").isZero();
		}
	}

	private void check(Random random, ManagedChannel channel) throws Exception {
		Map<ByteString, Set<ByteString>> sent = new HashMap<>();
		ClientStream client = new ClientStream((_) -> {
		});
		StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
				channel.newCall(method(), CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS)), client);
		for (int i = 1 + random.nextInt(20); i > 0 && !client.ended; i--) {
			byte[] wire = Requests.random(random).toByteArray();
			if (random.nextInt(4) == 0) {
				wire = Fuzz.mutated(wire, random);
			}
			note(wire, sent);
			try {
				requests.onNext(wire);
			}
			catch (IllegalStateException _) {
				// The stream has ended.
			}
		}
		try {
			requests.onCompleted();
		}
		catch (IllegalStateException _) {
			// The stream has ended.
		}

		await().until(() -> client.ended);
		if (client.failure != null) {
			assertThat(client.status()).isIn(EXPECTED);
		}
		assertThat(this.store.stored()).extracting((content) -> content.id().toStringUtf8())
			.containsAll(client.acked());
		this.store.stored()
			.forEach((content) -> assertThat(sent.getOrDefault(content.id(), Set.of()))
				.as("payloads of %s", content.id())
				.contains(ByteString.copyFrom(content.payload())));
	}

	/** What the generated parser finds, in damaged bytes too, counts as sent. */
	private static void note(byte[] wire, Map<ByteString, Set<ByteString>> sent) {
		try {
			for (BatchedMessage message : Requests.messages(Request.parseFrom(wire))) {
				switch (message.getPayloadCase()) {
					case PLAIN_MESSAGE -> note(message.getMessageId(), message.getPlainMessage().toByteArray(), sent);
					case ZSTD_COMPRESSED -> noteFrame(message.getMessageId(), message.getZstdCompressed(), sent);
					case PAYLOAD_NOT_SET -> {
					}
				}
			}
		}
		catch (IOException _) {
			// No message of it may be stored.
		}
	}

	private static void noteFrame(ByteString id, ByteString frame, Map<ByteString, Set<ByteString>> sent) {
		try {
			note(id, Zstd.decompress(frame.toByteArray(), 1_000_000), sent);
		}
		catch (RuntimeException _) {
			// Not a frame: it must not be stored.
		}
	}

	private static void note(ByteString id, byte[] payload, Map<ByteString, Set<ByteString>> sent) {
		sent.computeIfAbsent(id, (_) -> new HashSet<>()).add(ByteString.copyFrom(payload));
	}

	private static MethodDescriptor<byte[], Response> method() {
		return DataSinkGrpc.getSendMethod()
			.toBuilder(new Bytes(), DataSinkGrpc.getSendMethod().getResponseMarshaller())
			.build();
	}

	/** Sends bytes unchanged. */
	static final class Bytes implements Marshaller<byte[]> {

		@Override
		public InputStream stream(byte[] value) {
			return new ByteArrayInputStream(value);
		}

		@Override
		public byte[] parse(InputStream stream) {
			try (stream) {
				return stream.readAllBytes();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
