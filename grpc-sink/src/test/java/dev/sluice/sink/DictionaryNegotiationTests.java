package dev.sluice.sink;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.request.SampleDictionary;
import dev.sluice.sink.store.OnceStore;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	@TempDir
	private Path directory;

	private final String name = InProcessServerBuilder.generateName();

	private Server server;

	@BeforeEach
	void start() throws Exception {
		Path dictionary = Files.write(this.directory.resolve("metrics.zdict"), SampleDictionary.bytes());
		SinkProperties properties = Settings.of("sink.stream.queue-capacity=1000", "sink.limits.memory=8MB",
				"sink.limits.max-storing=1000", "sink.stream.max-age=0", "sink.stream.ack-delay=1ms",
				"sink.store.repeat-horizon=1000", "sink.stream.dictionary=" + dictionary);
		DataSinkService service = new DataSinkService(new OnceStore(this.store, 1_000),
				Decompressor.of(properties.limits().maxMessageBytes(), properties.stream().dictionary()), properties,
				new SinkMetrics(new SimpleMeterRegistry()), this.timer, Runnable::run, System::nanoTime);
		this.server = InProcessServerBuilder.forName(this.name)
			.addService(service)
			.addStreamTracerFactory(service.inboundLimits())
			.build()
			.start();
	}

	private SinkClient open(SinkClientOptions options) {
		return SinkClient.open(InProcessChannelBuilder.forName(this.name).intercept(this.wire), options,
				DeliveryListener.NONE);
	}

	@AfterEach
	void stop() {
		this.server.shutdownNow();
		this.timer.shutdownNow();
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

}
