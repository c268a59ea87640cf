package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to a sink, reliably: a message that {@link #send} has taken is in the
 * spool, and stays there until the sink has it or has refused it for good, however often
 * connection, sink or this process die. The sink stores each once: one under an id of the
 * client's own however late it is repeated, one under an id of the caller's within the
 * sink's horizon for repeats.
 * <p>
 * Any number of threads may send; messages appended together share one force of the disk.
 * Two threads of its own: one writes the spool, one sends. The channel is the caller's.
 */
public final class SinkClient implements AutoCloseable {

	private static final Duration POLL = Duration.ofMillis(5);

	private final SinkClientOptions options;

	private final Spool spool;

	private final EventLoop loop;

	private final Session session;

	/**
	 * What the client is doing.
	 *
	 * @param connected whether the sink has answered on a stream that is open
	 * @param inFlight messages sent and not acknowledged
	 * @param window messages that may be, to all addresses together
	 * @param timeouts messages sent again because no acknowledgement came in time
	 * @param disconnections streams that have ended
	 * @param dropped messages that the sink says it dropped
	 * @param spooled messages that the sink does not have
	 * @param spoolBytes of them, and of refused ones
	 * @param oldestMillis how long the oldest of them has waited, in milliseconds; 0 if
	 * there is none
	 * @param damaged messages that were lost to damage of the spool's files, found since
	 * the client was opened; the log names them
	 * @param sent messages sent since the client was opened, each time counted
	 * @param repeated of these, sent by this client before
	 * @param sentBytes bytes of these, as they went into gRPC: compressed, with their ids
	 * @param acknowledged messages that the sink has, since the client was opened
	 * @param refused messages refused for good, since the client was opened
	 */
	public record Stats(boolean connected, int inFlight, int window, long timeouts, long disconnections, long dropped,
			long spooled, long spoolBytes, long oldestMillis, long damaged, long sent, long repeated, long sentBytes,
			long acknowledged, long refused) {
	}

	/**
	 * A message that the sink will never take.
	 *
	 * @param number for {@link #discard}
	 * @param code a gRPC status code
	 * @param description why
	 */
	public record Refused(long number, ByteString id, byte[] payload, int code, String description) {
	}

	/**
	 * Opens the spool and a stream. What an earlier client left in the spool is sent
	 * first.
	 * @param channel to the sink; not closed by this client. It should have a keep-alive
	 * time, which the sink takes from 10 s on: else a connection that has silently gone
	 * is noticed after a quarter of an hour
	 * @param listener hears what came of each message
	 * @throws SpoolFailedException if the spool cannot be opened
	 */
	public static SinkClient open(Channel channel, SinkClientOptions options, DeliveryListener listener) {
		return open(List.of(channel), options, listener);
	}

	/**
	 * Opens the spool and a stream over each of several channels. Sinks that know
	 * sequences get all messages one at a time: the next one when a stream ends or a
	 * message times out. Of others, the one that has least of its window in use gets a
	 * message. A sink that is down, or left because it is silent, is tried again; what
	 * was in flight to it goes to the others meanwhile. A message under an id of the
	 * caller's that it stored and did not acknowledge is then stored twice, as is any
	 * where the sinks do not store in one topic.
	 * @param channels each to one sink; not closed by this client. All sinks should take
	 * messages of the same size
	 * @param listener hears what came of each message
	 * @throws IllegalArgumentException if there is no channel
	 * @throws SpoolFailedException if the spool cannot be opened
	 * @see #open(Channel, SinkClientOptions, DeliveryListener)
	 */
	public static SinkClient open(List<? extends Channel> channels, SinkClientOptions options,
			DeliveryListener listener) {
		if (channels.isEmpty()) {
			throw new IllegalArgumentException("A client needs one channel at least");
		}
		return new SinkClient(channels, options, listener, spool(options), EventLoop.ofThread("sink-client"));
	}

	SinkClient(Channel channel, SinkClientOptions options, DeliveryListener listener, Spool spool, EventLoop loop) {
		this(List.of(channel), options, listener, spool, loop);
	}

	SinkClient(List<? extends Channel> channels, SinkClientOptions options, DeliveryListener listener, Spool spool,
			EventLoop loop) {
		this.options = options;
		this.spool = spool;
		this.loop = loop;
		this.session = new Session(channels, spool, loop, () -> (options.window() > 0)
				? new FixedWindow(options.window()) : new AdaptiveWindow(options.maxWindow()), options, listener,
				ThreadLocalRandom.current());
		this.session.open();
	}

	private static Spool spool(SinkClientOptions options) {
		return (options.spool() != null) ? new FileSpool(options.spool(), options.spoolBytes(), options.durability())
				: new MemorySpool(options.spoolBytes());
	}

	/**
	 * Takes a message under an id of the client's own, which is numbered.
	 * @return the id
	 * @see #send(ByteString, byte[])
	 */
	public ByteString send(byte[] payload) throws InterruptedException {
		return sendAll(List.of(new Message(null, payload))).getFirst();
	}

	/**
	 * Takes a message. When this returns, the message is as durable as the options say.
	 * @param id 1 to 64 bytes; the sink stores a repeat of it once, within its horizon
	 * @param payload not to be changed any more
	 * @throws SpoolFullException if there is no room: the message was not taken
	 * @throws SpoolFailedException if the message may not be durable
	 * @throws IllegalArgumentException if id or payload are too large
	 */
	public void send(ByteString id, byte[] payload) throws InterruptedException {
		sendAll(List.of(new Message(id, payload)));
	}

	/**
	 * Takes a message, which may have a key.
	 * @return the id
	 * @see #send(ByteString, byte[])
	 */
	public ByteString send(Message message) throws InterruptedException {
		return sendAll(List.of(message)).getFirst();
	}

	/**
	 * Takes several messages, which is cheaper than one at a time: they share the force
	 * of the disk and one wait for it. All of them are taken, or none.
	 * @return their ids, in the same order
	 * @throws SpoolFullException if there is no room for all: none was taken. There never
	 * is for more at once than the spool holds
	 * @throws SpoolFailedException if they may not be durable
	 * @throws IllegalArgumentException if a payload is too large: none was taken
	 */
	public List<ByteString> sendAll(List<Message> messages) throws InterruptedException {
		for (Message message : messages) {
			if (message.payload().length > this.options.maxMessageBytes()) {
				throw new IllegalArgumentException("A message has %,d bytes at most (maxMessageBytes), this one %,d"
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
	 * Takes a message, and waits for room if there is none.
	 * @param timeout for the wait; 0 = none
	 * @return the id
	 * @throws SpoolFullException if there was no room in time: the message was not taken
	 * @see #send(byte[])
	 */
	public ByteString send(byte[] payload, Duration timeout) throws InterruptedException {
		return sendAll(List.of(new Message(null, payload)), timeout).getFirst();
	}

	/**
	 * Takes several messages, and waits for room if there is none for all.
	 * @param timeout for the wait; 0 = none
	 * @return their ids, in the same order
	 * @throws SpoolFullException if there was no room in time: none was taken
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
	 * Waits until the sink has all that was sent.
	 * @return false if it has not in time
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

	/**
	 * Messages that the sink refused for good, still in the spool.
	 * @throws SpoolFailedException if the spool is closed or cannot be read
	 */
	public List<Refused> refused() {
		return this.spool.refused()
			.stream()
			.map((one) -> new Refused(one.number(), one.entry().id(), one.entry().payload(), one.code(),
					one.description()))
			.toList();
	}

	/** Forgets a refused message. */
	public void discard(Refused refused) {
		this.spool.discard(refused.number());
	}

	/** What it is doing now. */
	public Stats stats() {
		Progress.Snapshot now = this.session.snapshot();
		Long oldest = this.spool.oldest();
		return new Stats(now.connected(), now.inFlight(), now.window(), now.timeouts(), now.disconnections(),
				now.dropped(), this.spool.size(), this.spool.bytes(),
				(oldest != null) ? Math.max(0, System.currentTimeMillis() - oldest) : 0, this.spool.damaged(),
				now.sent(), now.repeated(), now.sentBytes(), now.acknowledged(), now.refused());
	}

	/**
	 * Ends the stream. What the sink does not have stays in the file, for the next client
	 * that opens it. A listener may call it too.
	 */
	@Override
	public void close() {
		this.session.close();
		this.loop.close();
		this.spool.close();
	}

}
