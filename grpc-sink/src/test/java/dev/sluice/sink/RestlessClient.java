package dev.sluice.sink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import dev.sluice.devservices.Patience;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Fence;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.OnceStore.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that leaves its stream at any moment, and starts the next one, on any sink,
 * with the first message that is not acknowledged. The sinks do not notice: messages sent
 * on earlier streams still go to the storage from time to time, between those of later
 * streams.
 */
public final class RestlessClient {

	private static final Duration DEADLINE = Patience.ofSeconds(60);

	private static final int PENDING = 40;

	/** Streams whose messages still go to the storage. */
	private static final int STREAMS = 4;

	private final ClientSession session;

	private final int messages;

	private final int sinks;

	private final Random random;

	private final Storage storage;

	private final Set<Long> acknowledged = new HashSet<>();

	private final List<Stream> streams = new ArrayList<>();

	private final List<Sent> pending = new ArrayList<>();

	/** Number of messages that were not stored because an earlier one was not. */
	private int failures;

	/** The stores of the sinks. */
	@FunctionalInterface
	public interface Storage {

		CompletableFuture<Outcome> store(int sink, Place place);

	}

	private record Sent(Stream stream, long sequence, CompletableFuture<Outcome> done) {
	}

	private static final class Stream {

		private final int sink;

		private final Fence fence = new Fence();

		/** The index of the next message for the storage. */
		private long next;

		/** The index of the last message that the client has sent. */
		private long sent;

		Stream(int sink, long first) {
			this.sink = sink;
			this.next = first;
			this.sent = first - 1;
		}

	}

	public RestlessClient(ClientSession session, int messages, int sinks, Random random, Storage storage) {
		this.session = session;
		this.messages = messages;
		this.sinks = sinks;
		this.random = random;
		this.storage = storage;
	}

	/** Sends until all are acknowledged. Returns the number of failures. */
	public int run() throws Exception {
		long deadline = System.nanoTime() + DEADLINE.toNanos();
		begin();
		while (this.acknowledged.size() < this.messages) {
			assertThat(System.nanoTime()).as("%s acknowledged, %s failures", this.acknowledged.size(), this.failures)
				.isLessThan(deadline);
			Stream current = this.streams.getLast();
			current.sent = Math.min(this.messages, current.sent + this.random.nextInt(5));
			forward(this.streams.get(this.random.nextInt(this.streams.size())));
			if (this.random.nextInt(20) == 0) {
				begin();
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
		this.streams.add(new Stream(this.random.nextInt(this.sinks), first));
		if (this.streams.size() > STREAMS) {
			this.streams.removeFirst();
		}
	}

	private void forward(Stream stream) {
		if (stream.next <= stream.sent) {
			long sequence = stream.next++;
			this.pending.add(new Sent(stream, sequence,
					this.storage.store(stream.sink, new Place(this.session, sequence, stream.fence))));
		}
	}

	private void settle(Sent sent) throws Exception {
		try {
			sent.done().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
			if (sent.stream() == this.streams.getLast()) {
				this.acknowledged.add(sent.sequence());
			}
		}
		catch (ExecutionException _) {
			this.failures++;
			if (sent.stream() == this.streams.getLast()) {
				begin();
			}
		}
	}

}
