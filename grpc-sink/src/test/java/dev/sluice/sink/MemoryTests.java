package dev.sluice.sink;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

import com.google.protobuf.ByteString;
import dev.sluice.contract.sink.BatchedMessage;
import dev.sluice.contract.sink.Request;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.request.Received;
import dev.sluice.sink.request.RequestMarshaller;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages take as much memory as {@code sink.limits.memory} counts. */
class MemoryTests {

	private static final int MESSAGES = 100_000;

	/** Measured again if other tests took memory meanwhile. */
	@Test
	void aMessageTakesNoMoreThanIsCounted() {
		Taken taken = Awaitility.await().until(MemoryTests::taken, (each) -> each.least() <= each.most());
		assertThat(taken.counted()).as("%s", taken).isBetween(taken.least(), 2 * taken.most());
	}

	/** Bytes of all messages. What other tests have left may be collected at any time. */
	private record Taken(long counted, long least, long most) {
	}

	private static Taken taken() {
		RequestMarshaller marshaller = new RequestMarshaller(1_000);
		Queue<Received.Message> queue = new ArrayDeque<>(MESSAGES);
		queue.add((Received.Message) marshaller.parse(request(0, 1).toByteString().newInput()));
		long before = heapUsed();
		long counted = 0;
		for (int i = 0; i < MESSAGES; i++) {
			Received.Message message = (Received.Message) marshaller.parse(request(i, 1).toByteString().newInput());
			counted += message.memoryBytes();
			queue.add(message);
		}
		long full = heapUsed();
		assertThat(queue).hasSize(MESSAGES + 1);
		queue.clear();
		return new Taken(counted, full - before, full - heapUsed());
	}

	/** Bytes, once what other tests have left is collected. */
	private static long heapUsed() {
		AtomicLong used = new AtomicLong(Long.MAX_VALUE);
		Awaitility.await().pollInterval(Duration.ofMillis(100)).until(() -> {
			System.gc();
			long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
			return used.getAndSet(now) - now < MESSAGES;
		});
		return used.get();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 250 })
	void smallMessagesAreCountedWithWhatTheyTakeBesideTheirBytes(int together) throws Exception {
		int memory = 1024 * 1024;
		SinkProperties properties = Settings.of("sink.stream.queue-capacity=100000", "sink.limits.memory=1MB",
				"sink.limits.max-storing=10", "sink.stream.max-age=0", "sink.limits.max-message=1KB",
				"sink.stream.ack-delay=0", "sink.store.timeout=1m", "sink.store.repeat-horizon=0");
		try (InProcessSink sink = new InProcessSink(new FakeStore(), new Decompressor(1_024, null), Runnable::run,
				properties)) {
			ClientStream client = new ClientStream(sink.channel, true);
			for (int i = 0; i < 20_000; i += together) {
				client.call.onNext(request(i, together));
			}

			double received = sink.registry.get(SinkMetric.RECEIVED.key()).counter().count();
			assertThat(received).as("of 20,000, which take 340 KB on the wire")
				.isBetween(memory / 160.0, memory / (double) Received.Message.OVERHEAD_BYTES + 5 * together);
		}
	}

	/** Tiny messages, one or several. */
	private static Request request(int number, int together) {
		Request.Builder request = Request.newBuilder().setVersion(1);
		if (together == 1) {
			return request.setMessageId(id(number)).setPlainMessage(ByteString.copyFromUtf8("x")).build();
		}
		for (int i = 0; i < together; i++) {
			request.addMessages(BatchedMessage.newBuilder()
				.setMessageId(id(number + i))
				.setPlainMessage(ByteString.copyFromUtf8("x")));
		}
		return request.build();
	}

	private static ByteString id(int number) {
		return ByteString.copyFromUtf8(String.format(Locale.ROOT, "%08d", number));
	}

}
