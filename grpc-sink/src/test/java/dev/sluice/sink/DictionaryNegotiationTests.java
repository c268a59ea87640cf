package dev.sluice.sink;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import com.github.luben.zstd.Zstd;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.request.SampleDictionary;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.MethodDescriptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The real client and the real service, over an in-process transport. */
class DictionaryNegotiationTests {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	private final MemoryStore store = new MemoryStore();

	private final WireLog wire = new WireLog();

	@TempDir
	private Path directory;

	private InProcessSink sink;

	@BeforeEach
	void start() throws Exception {
		Path dictionary = Files.write(this.directory.resolve("metrics.zdict"), SampleDictionary.bytes());
		SinkProperties properties = Settings.of("sink.stream.ack-delay=1ms", "sink.stream.dictionary=" + dictionary);
		this.sink = new InProcessSink(this.store,
				Decompressor.of(properties.limits().maxMessageBytes(), properties.stream().dictionary()), Runnable::run,
				properties);
	}

	private SinkClient open(SinkClientOptions options) {
		return SinkClient.open(this.sink.builder().intercept(this.wire), options, DeliveryListener.NONE);
	}

	@AfterEach
	void stop() {
		this.sink.close();
	}

	@Test
	void usesTheSinksDictionary() throws Exception {
		try (SinkClient client = open(SinkClientOptions.inMemory())) {
			client.send(SampleDictionary.message(0));
			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
		}

		assertThat(this.store.stored()).extracting(Content::payload).containsExactly(SampleDictionary.message(0));
		assertThat(this.wire.dictionaryIds()).doesNotContain(0L);
	}

	@Test
	void sendsPlainWhatCompressionWouldNotMakeSmaller() throws Exception {
		byte[] random = new byte[3_000];
		new Random(42).nextBytes(random);
		byte[] small = "tiny".getBytes();
		try (SinkClient client = open(SinkClientOptions.inMemory())) {
			for (byte[] payload : List.of(random, small, SampleDictionary.message(1))) {
				client.send(payload);
			}
			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
		}

		assertThat(this.wire.payloadBytes()).first().isEqualTo(3_000);
		assertThat(this.wire.payloadBytes().get(1)).isEqualTo(4);
		assertThat(this.wire.payloadBytes().getLast()).isLessThan(SampleDictionary.message(1).length / 2);
		assertThat(this.store.stored()).extracting(Content::payload)
			.containsExactly(random, small, SampleDictionary.message(1));
	}

	@Test
	void sendsPlainIfItIsToldTo() throws Exception {
		try (SinkClient client = open(SinkClientOptions.inMemory().withZstdLevel(0))) {
			client.send(SampleDictionary.message(1));
			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
		}

		assertThat(this.wire.payloadBytes()).containsExactly(SampleDictionary.message(1).length);
	}

	/** Records the messages of a channel to the sink, to the sink. */
	private static final class WireLog implements ClientInterceptor {

		private final List<Request> requests = new CopyOnWriteArrayList<>();

		@Override
		public <I, O> ClientCall<I, O> interceptCall(MethodDescriptor<I, O> method, CallOptions options, Channel next) {
			return new SimpleForwardingClientCall<>(next.newCall(method, options)) {

				@Override
				public void sendMessage(I message) {
					WireLog.this.requests.add((Request) message);
					super.sendMessage(message);
				}

			};
		}

		/** Length of each message on the wire. */
		List<Integer> payloadBytes() {
			return messages().map((message) -> message.hasPlainMessage() ? message.getPlainMessage().size()
					: message.getZstdCompressed().size())
				.toList();
		}

		/** Id of the dictionary that each message was compressed with; 0 for none. */
		List<Long> dictionaryIds() {
			return messages().map((message) -> Zstd.getDictIdFromFrame(message.getZstdCompressed().toByteArray()))
				.toList();
		}

		private Stream<BatchedMessage> messages() {
			return this.requests.stream()
				.flatMap((request) -> (request.getMessagesCount() > 0) ? request.getMessagesList().stream()
						: Stream.of(alone(request)));
		}

		private static BatchedMessage alone(Request request) {
			BatchedMessage.Builder message = BatchedMessage.newBuilder().setMessageId(request.getMessageId());
			return (request.hasPlainMessage() ? message.setPlainMessage(request.getPlainMessage())
					: message.setZstdCompressed(request.getZstdCompressed()))
				.build();
		}

	}

}
