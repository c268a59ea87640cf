package dev.sluice.sink;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

import com.github.luben.zstd.Zstd;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.request.SampleDictionary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** The real client and the real service, over an in-process transport. */
class DictionaryNegotiationTests {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	private static final SinkClientOptions OPTIONS = SinkClientOptions.inMemory();

	private static final SinkClientOptions PLAIN = OPTIONS.withZstdLevel(0);

	private final MemoryStore store = new MemoryStore();

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

	@AfterEach
	void stop() {
		this.sink.close();
	}

	@Test
	void usesTheSinksDictionary() throws Exception {
		byte[] message = SampleDictionary.message(0);

		assertThat(sentBytes(OPTIONS, message)).isLessThan(Zstd.compress(message).length);

		assertThat(this.store.stored()).extracting(Content::payload).containsExactly(message);
	}

	@Test
	void sendsPlainWhatCompressionWouldNotMakeSmaller() throws Exception {
		byte[] random = new byte[3_000];
		new Random(42).nextBytes(random);

		// The age of a message takes some bytes, the head of a frame more.
		assertThat(sentBytes(OPTIONS, random)).isCloseTo(sentBytes(PLAIN, random), within(6L));
		assertThat(sentBytes(OPTIONS, "tiny".getBytes())).isCloseTo(sentBytes(PLAIN, "tiny".getBytes()), within(6L));

		assertThat(this.store.stored()).extracting(Content::payload).startsWith(random, random);
	}

	@Test
	void sendsPlainIfItIsToldTo() throws Exception {
		byte[] message = SampleDictionary.message(1);

		assertThat(sentBytes(PLAIN, message)).isGreaterThan(message.length);
	}

	/** Bytes on the wire for one message. */
	private long sentBytes(SinkClientOptions options, byte[] message) throws Exception {
		try (SinkClient client = SinkClient.open(this.sink.builder(), options, DeliveryListener.NONE)) {
			client.send(message);
			assertThat(client.awaitEmpty(DEADLINE)).isTrue();
			return client.stats().sentBytes();
		}
	}

}
