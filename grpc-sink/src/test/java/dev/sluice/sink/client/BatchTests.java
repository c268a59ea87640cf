package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.Request;
import dev.sluice.sink.client.spool.MemorySpool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Small messages in one request. The test controls time. */
class BatchTests {

	private static final Duration ACK_TIMEOUT = Duration.ofSeconds(20);

	private final ScriptedSink sink = new ScriptedSink();

	private final ManualLoop loop = new ManualLoop();

	private SinkClient client;

	@BeforeEach
	void open() {
		this.client = new SinkClient(this.sink.channel(),
				SinkClientOptions.inMemory().withAckTimeout(ACK_TIMEOUT).withZstdLevel(0), DeliveryListener.NONE,
				new MemorySpool(100_000), this.loop);
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.sink.close();
		assertThat(this.loop.failures()).isEmpty();
	}

	@Test
	void putsTogetherWhatWaits() throws Exception {
		send("a", "b", "c");

		this.sink.send(ScriptedSink.info(100).setBatchMessages(100));
		send("d");

		assertThat(this.sink.batches()).containsExactly("[a b c]", "d");
		this.sink.ack("b");
		this.sink.ack("a", "c", "d");
		assertThat(this.client.stats().spooled()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "0, a;b;c;d;e", "2, [a b];[c d];e" })
	void putsNoMoreMessagesTogetherThanTheSinkTakes(int together, String batches) throws Exception {
		send("a", "b", "c", "d", "e");

		this.sink.send(ScriptedSink.info(100).setBatchMessages(together));

		assertThat(this.sink.batches()).containsExactly(batches.split(";"));
	}

	@Test
	void putsNoMoreBytesTogetherThanItMay() throws Exception {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			ids.add("id-" + i);
			this.client.send(ByteString.copyFromUtf8("id-" + i), new byte[1_000 + 100 * i]);
		}
		this.client.send(ByteString.copyFromUtf8("large"), new byte[20_000]);
		ids.add("large");

		this.sink.send(ScriptedSink.info(1_000).setBatchMessages(100));

		assertThat(this.sink.received).isEqualTo(ids);
		assertThat(this.sink.requests.removeLast().getMessageId().toStringUtf8()).isEqualTo("large");
		assertThat(this.sink.requests).hasSizeLessThan(10)
			.extracting(Request::getSerializedSize)
			.allSatisfy((size) -> assertThat(size).as("with the version").isLessThanOrEqualTo(16 * 1024 + 2));
	}

	@Test
	void sendsAgainTheMessagesOfABatchThatAreNotAcknowledged() throws Exception {
		send("a", "b", "c");
		this.sink.send(ScriptedSink.info(100).setBatchMessages(100));

		this.sink.ack("b");
		this.sink.refuse("c");
		this.loop.pass(ACK_TIMEOUT);

		assertThat(this.sink.batches()).containsExactly("[a b c]", "a");
		assertThat(this.client.stats().refused()).isEqualTo(1);
	}

	private void send(String... ids) throws InterruptedException {
		for (String id : ids) {
			this.client.send(ByteString.copyFromUtf8(id), ("payload of " + id).getBytes());
		}
	}

}
