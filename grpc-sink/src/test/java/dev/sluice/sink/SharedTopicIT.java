package dev.sluice.sink;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import com.google.protobuf.ByteString;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Patience;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.OnceStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Two sinks that store in one topic. */
@Tag("embedded")
class SharedTopicIT {

	private static final Duration DEADLINE = Patience.ofSeconds(180);

	private static final List<ConfigurableApplicationContext> sinks = new ArrayList<>();

	@BeforeAll
	static void start() {
		sinks.add(sink());
		sinks.add(sink());
	}

	@AfterAll
	static void stop() {
		sinks.forEach(ConfigurableApplicationContext::close);
		sinks.clear();
	}

	private static ConfigurableApplicationContext sink(String... more) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--spring.grpc.server.port=0",
				"--spring.kafka.bootstrap-servers=" + DevServices.shared().kafka().bootstrapServers()));
		arguments.addAll(List.of(more));
		ConfigurableApplicationContext sink = new SpringApplicationBuilder(SinkApplication.class)
			.run(arguments.toArray(String[]::new));
		await().until(sink.getBean(MessageStore.class)::ready);
		return sink;
	}

	/**
	 * The client leaves one sink for the other, and the first does not notice. One is
	 * restarted.
	 */
	@Test
	void storeEachMessageOfASessionOnceAndInOrder() throws Exception {
		ClientSession session = session(6);
		int messages = 120;

		int failures = new RestlessClient(session, messages).run();

		assertThat(failures).as("writers that were ended by the other sink").isPositive();
		assertThat(stored(session)).isEqualTo(LongStream.rangeClosed(1, messages).boxed().toList());
	}

	/** The brokers of the tests keep the state of a session for 7 days. */
	@Test
	void refuseASessionThatTheBrokersForgetBeforeItsAge() {
		ClientSession old = new ClientSession(session(7).id(), 1, Duration.ofDays(7).toMillis() + 1);

		try (ConfigurableApplicationContext patient = sink("--sink.sessions.age=30d")) {
			assertThat(refusal(patient, new Place(old, 1, new Fence()), "any")).isEqualTo("FAILED_PRECONDITION");
		}
	}

	private static ClientSession session(long number) {
		return new ClientSession(
				ByteString.copyFrom(ByteBuffer.allocate(16).putLong(System.nanoTime()).putLong(number).flip()), 1, 0);
	}

	/** Why a message is refused for good. */
	private static String refusal(ConfigurableApplicationContext sink, Place place, String payload) {
		return await().until(
				() -> Contents.name(store(sink, place, payload).get(DEADLINE.toSeconds(), TimeUnit.SECONDS)),
				(code) -> !code.equals("UNAVAILABLE"));
	}

	private static CompletableFuture<Completed> store(ConfigurableApplicationContext sink, Place place,
			String payload) {
		return Contents.store(sink.getBean(OnceStore.class)::store, place,
				Contents.of(id(place.sequence()), payload.getBytes()));
	}

	private static ByteString id(long sequence) {
		return ByteString.copyFromUtf8("id-" + sequence);
	}

	/** The committed sequences of a session, in the order of the topic. */
	private static List<Long> stored(ClientSession session) {
		List<Long> stored = new ArrayList<>();
		TopicRecords.forEach(DevServices.shared().kafka().bootstrapServers(), (record) -> {
			if (record.headers().lastHeader("sink-sequence") != null) {
				ByteBuffer place = ByteBuffer.wrap(record.headers().lastHeader("sink-sequence").value());
				if (ByteString.copyFrom(place, place.remaining() - 12).equals(session.id())) {
					stored.add(place.getLong());
				}
			}
		});
		return stored;
	}

	/**
	 * A client that leaves its stream at any moment, and starts the next one, on any
	 * sink, with the first message that is not acknowledged. The sinks do not notice:
	 * messages sent on earlier streams still go to the storage from time to time, between
	 * those of later streams.
	 */
	private static final class RestlessClient {

		private static final int PENDING = 40;

		/** Streams whose messages still go to the storage. */
		private static final int STREAMS = 4;

		private final ClientSession session;

		private final int messages;

		private final Random random = new Random(42);

		private final Set<Long> acknowledged = new HashSet<>();

		private final List<Stream> streams = new ArrayList<>();

		private final List<Sent> pending = new ArrayList<>();

		private boolean restarted;

		/** Number of messages that were not stored because an earlier one was not. */
		private int failures;

		private record Sent(Stream stream, long sequence, CompletableFuture<Completed> done) {
		}

		private static final class Stream {

			private final ConfigurableApplicationContext sink;

			private final Fence fence = new Fence();

			/** The index of the next message for the storage. */
			private long next;

			/** The index of the last message that the client has sent. */
			private long sent;

			Stream(ConfigurableApplicationContext sink, long first) {
				this.sink = sink;
				this.next = first;
				this.sent = first - 1;
			}

		}

		RestlessClient(ClientSession session, int messages) {
			this.session = session;
			this.messages = messages;
		}

		/** Sends until all are acknowledged. Returns the number of failures. */
		int run() throws Exception {
			long deadline = System.nanoTime() + DEADLINE.toNanos();
			begin();
			while (this.acknowledged.size() < this.messages) {
				assertThat(System.nanoTime())
					.as("%s acknowledged, %s failures", this.acknowledged.size(), this.failures)
					.isLessThan(deadline);
				Stream current = this.streams.getLast();
				current.sent = Math.min(this.messages, current.sent + this.random.nextInt(5));
				forward(this.streams.get(this.random.nextInt(this.streams.size())));
				if (this.random.nextInt(20) == 0) {
					begin();
				}
				if (this.acknowledged.size() >= this.messages / 2 && !this.restarted) {
					restart();
				}
				boolean all = this.random.nextInt(10) == 0 || current.next > this.messages;
				while (!this.pending.isEmpty()
						&& (all || this.pending.size() > PENDING || this.pending.getFirst().done().isDone())) {
					settle(this.pending.removeFirst());
				}
			}
			return this.failures;
		}

		private void begin() {
			long first = 1;
			while (this.acknowledged.contains(first)) {
				first++;
			}
			this.streams.add(new Stream(sinks.get(this.random.nextInt(2)), first));
			if (this.streams.size() > STREAMS) {
				this.streams.removeFirst();
			}
		}

		private void restart() {
			this.restarted = true;
			this.streams.clear();
			sinks.getFirst().close();
			sinks.set(0, sink());
			begin();
		}

		private void forward(Stream stream) {
			if (stream.next <= stream.sent) {
				long sequence = stream.next++;
				this.pending.add(new Sent(stream, sequence,
						store(stream.sink, new Place(this.session, sequence, stream.fence), "payload of " + sequence)));
			}
		}

		private void settle(Sent sent) throws Exception {
			boolean stored = sent.done().get(DEADLINE.toSeconds(), TimeUnit.SECONDS).failure() == null;
			this.failures += stored ? 0 : 1;
			if (sent.stream() == this.streams.getLast()) {
				if (stored) {
					this.acknowledged.add(sent.sequence());
				}
				else {
					begin();
				}
			}
		}

	}

}
