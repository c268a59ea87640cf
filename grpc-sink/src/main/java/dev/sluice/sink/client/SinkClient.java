package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.FileSpool;
import dev.sluice.sink.client.spool.MemorySpool;
import dev.sluice.sink.client.spool.Message;
import dev.sluice.sink.client.spool.Spool;
import dev.sluice.sink.client.spool.SpoolFullException;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;

/**
 * Sends messages to a sink reliably. A message accepted by {@link #send} is in the spool,
 * and stays there until the sink has stored it, or the listener has it because the sink
 * refused it for good, however often the connection, the sink or this process dies. The
 * sink stores each message once: one with an id that the client made however late it is
 * repeated, one with an id from the caller within the sink's repeat horizon.
 * <p>
 * Thread-safe: any number of threads may send, and messages appended together share one
 * force of the disk. The client has two threads: one writes the spool, one sends.
 */
public final class SinkClient implements AutoCloseable {

	private static final Duration POLL = Duration.ofMillis(5);

	/** Without it, a connection that is lost silently costs several ack timeouts. */
	private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

	private final ManagedChannel channel;

	private final SinkClientOptions options;

	private final Spool spool;

	private final EventLoop loop;

	private final Session session;

	/**
	 * The state of a client, and its counters since it was opened.
	 *
	 * @param connected whether the sink has answered on an open stream
	 * @param inFlight messages sent and not acknowledged
	 * @param window maximum number of messages in flight
	 * @param timeouts streams left because an acknowledgement did not come in time
	 * @param disconnections streams that have ended
	 * @param dropped messages that the sink reported as dropped
	 * @param spooled messages in the spool
	 * @param spoolBytes bytes of messages in the spool
	 * @param oldestMillis how long the oldest spooled message has waited, in
	 * milliseconds; 0 if there is none
	 * @param damaged messages found lost to damage of the spool's files; the log names
	 * them
	 * @param sent messages sent; a message counts each time
	 * @param repeated messages that this client had sent before
	 * @param sentBytes bytes passed to gRPC for the messages sent: compressed, with their
	 * ids
	 * @param acknowledged messages that the sink has acknowledged
	 * @param refused messages permanently refused
	 */
	public record Stats(boolean connected, int inFlight, int window, long timeouts, long disconnections, long dropped,
			long spooled, long spoolBytes, long oldestMillis, long damaged, long sent, long repeated, long sentBytes,
			long acknowledged, long refused) {
	}

	/**
	 * Opens the spool and a stream. Messages that an earlier client left in the spool are
	 * sent first.
	 * @param channel the channel to the sink, which this client builds with a keep-alive
	 * of 30 s and closes. Its target may have several addresses, of sinks that share a
	 * topic: gRPC chooses one for each stream
	 * @param listener receives the result of each message
	 * @throws SpoolFailedException if the spool cannot be opened
	 */
	public static SinkClient open(ManagedChannelBuilder<?> channel, SinkClientOptions options,
			DeliveryListener listener) {
		Spool spool = spool(options);
		// It repeats what fails itself, after pauses; gRPC would not pause.
		ManagedChannel built = channel.keepAliveTime(KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS).disableRetry().build();
		return new SinkClient(built, options, listener, spool, LoopThread.start("sink-client"));
	}

	SinkClient(ManagedChannel channel, SinkClientOptions options, DeliveryListener listener, Spool spool,
			EventLoop loop) {
		this.channel = channel;
		this.options = options;
		this.spool = spool;
		this.loop = loop;
		this.session = new Session(channel, spool, loop, new AdaptiveWindow(options.window()), options, listener);
		this.session.open();
	}

	private static Spool spool(SinkClientOptions options) {
		return (options.spool() != null)
				? new FileSpool(options.spool(), options.spoolBytes(), options.durability() == Durability.POWER)
				: new MemorySpool(options.spoolBytes());
	}

	/**
	 * Sends a message with an id that the client makes, and with a sequence.
	 * @return the id
	 * @see #send(Message)
	 */
	public ByteString send(byte[] payload) throws InterruptedException {
		return sendAll(List.of(new Message(null, payload))).getFirst();
	}

	/**
	 * Sends a message: appends it to the spool. When this returns, the message is as
	 * durable as the options say. The sink stores repeats of an id of the caller's once,
	 * within its repeat horizon and until it restarts.
	 * @return the id
	 * @throws SpoolFullException if there is no room: the message is not in the spool
	 * @throws SpoolFailedException if the message may not be durable
	 * @throws IllegalArgumentException if the payload is too large
	 */
	public ByteString send(Message message) throws InterruptedException {
		return sendAll(List.of(message)).getFirst();
	}

	/**
	 * Sends a batch of messages, all or none. It is cheaper than sending them one at a
	 * time: they share one force of the disk and the wait for it.
	 * @return their ids, in the same order
	 * @throws SpoolFullException if there is no room for all, which is always so if they
	 * are larger than the spool: none is in the spool
	 * @throws SpoolFailedException if they may not be durable
	 * @throws IllegalArgumentException if a payload is too large: none is in the spool
	 */
	public List<ByteString> sendAll(List<Message> messages) throws InterruptedException {
		for (Message message : messages) {
			if (message.payload().length > this.options.maxMessageBytes()) {
				throw new IllegalArgumentException(
						"A message must have at most %s bytes (maxMessageBytes), this one has %s"
							.formatted(this.options.maxMessageBytes(), message.payload().length));
			}
		}
		if (messages.isEmpty()) {
			return List.of();
		}
		List<Spool.Entry> entries = this.spool.append(messages);
		this.session.appended();
		List<ByteString> ids = new ArrayList<>(entries.size());
		for (Spool.Entry entry : entries) {
			ids.add(entry.id());
		}
		return Collections.unmodifiableList(ids);
	}

	/**
	 * Sends a batch of messages, and waits for room in the spool if there is none for
	 * all.
	 * @param timeout maximum wait; 0 = none
	 * @return their ids, in the same order
	 * @throws SpoolFullException if there was no room in time: none is in the spool
	 * @see #sendAll(List)
	 */
	public List<ByteString> sendAll(List<Message> messages, Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (true) {
			try {
				return sendAll(messages);
			}
			catch (SpoolFullException ex) {
				if (System.nanoTime() - deadline >= 0) {
					throw ex;
				}
			}
			Thread.sleep(POLL);
		}
	}

	/**
	 * Waits until the sink has all messages that were sent.
	 * @return false if it does not have them in time
	 */
	public boolean awaitEmpty(Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		while (this.spool.size() > 0) {
			if (System.nanoTime() - deadline > 0) {
				return false;
			}
			Thread.sleep(POLL);
		}
		return true;
	}

	/** The current state and counters. */
	public Stats stats() {
		return this.session.stats();
	}

	/**
	 * Ends the stream, closes the spool and the channel. Messages that the sink does not
	 * have stay in the spool's files for the next client that opens them. A listener may
	 * call this method too.
	 */
	@Override
	public void close() {
		this.session.close();
		this.loop.close();
		this.spool.close();
		this.channel.shutdownNow();
	}

}
