package dev.sluice.sink.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.sluice.contract.Topics;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.format.TopicRecord;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.sequence.SessionState;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Placed;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the messages of one session to the topic in Kafka transactions. Each transaction
 * also writes the resulting {@linkplain SessionState state}, as the metadata of a
 * committed offset of a consumer group named after the session. So the brokers have both
 * or neither, whichever process dies and when.
 * <p>
 * Its transactional id is derived from the session. Once another sink starts to write the
 * session, this writer can no longer commit, and ends. Before its first transaction it
 * reads the state from the brokers. It also ends after any failure: the brokers then
 * decide about an open transaction, and the session's next writer reads the state from
 * them.
 * <p>
 * One virtual thread waits and writes; messages that come meanwhile go into the next
 * transaction. After a large transaction it waits some milliseconds for more messages. At
 * most {@value #QUEUE} groups wait, each with the messages that a stream gave at once;
 * further ones are refused, although {@code sink.limits.max-storing} keeps the number
 * lower. A transaction takes no further group once it has {@value #BATCH_BYTES} bytes or
 * {@value #BATCH_MESSAGES} messages.
 */
final class SessionWriter {

	private static final Logger logger = LoggerFactory.getLogger(SessionWriter.class);

	private static final int QUEUE = 20_000;

	private static final long BATCH_BYTES = 16 * 1024 * 1024;

	private static final int BATCH_MESSAGES = QUEUE;

	/**
	 * A transaction costs the sink and the broker the same, whatever its size. So after
	 * one of at least this many bytes, the next one waits while more messages come.
	 */
	static final int LARGE_BYTES = 256 * 1024;

	/** Short, because a client whose window is used up sends nothing during the pause. */
	private static final Duration PAUSE = Duration.ofMillis(1);

	static final int MAX_PAUSES = 6;

	private static final Duration POLL = Duration.ofMillis(200);

	private static final Completed CLOSED = Completed.notNow("The session's producer is closed");

	private final ClientSession session;

	private final String name;

	private final SessionBrokers brokers;

	private final Pause pause;

	/** Whether the last transaction was large. Confined to the writer's thread. */
	private boolean large;

	private final BlockingQueue<Group> groups = new LinkedBlockingQueue<>(QUEUE);

	private final Thread thread;

	private volatile boolean ending;

	private volatile boolean ended;

	/** Whether a transaction is being written. */
	private volatile boolean busy = true;

	/** Messages that were given together, and the recipient of their results. */
	static final class Group {

		private final List<Write> writes;

		private final Consumer<List<Completed>> completion;

		Group(List<Placed> messages, Consumer<List<Completed>> completion) {
			this.writes = messages.stream().map(Write::new).toList();
			this.completion = completion;
		}

		/** Fails the messages without a result. */
		void fail(Completed result) {
			this.writes.forEach((write) -> write.fail(result));
			complete();
		}

		/** Reports the results. Each message must have one. */
		void complete() {
			List<Completed> results = new ArrayList<>(this.writes.size());
			for (Write write : this.writes) {
				results.add(Objects.requireNonNull(write.result));
			}
			try {
				this.completion.accept(results);
			}
			catch (RuntimeException ex) {
				// The other groups of the transaction must still get their results.
				logger.error("A stream failed to process the results of its messages", ex);
			}
		}

	}

	/** A message and its result. Used by one thread at a time. */
	private static final class Write {

		private final Place place;

		private final Content content;

		private @Nullable Completed result;

		Write(Placed message) {
			this.place = Objects.requireNonNull(message.place());
			this.content = message.content();
		}

		void done(Completed result) {
			if (this.result == null) {
				this.result = result;
			}
		}

		/** Closes the fence, so no later message of its stream is stored. */
		void fail(Completed result) {
			if (this.result == null) {
				this.place.fence().close();
				this.result = result;
			}
		}

	}

	SessionWriter(Map<String, Object> config, ClientSession session, Duration maxAge) {
		this(session, new SessionBrokers(config, session, maxAge), () -> Thread.sleep(PAUSE));
	}

	@SuppressWarnings("this-escape") // The thread begins last.
	SessionWriter(ClientSession session, SessionBrokers brokers, Pause pause) {
		this.session = session;
		this.pause = pause;
		this.name = SessionBrokers.name(session);
		this.brokers = brokers;
		this.thread = Thread.ofVirtual().name(this.name).start(this::run);
	}

	/** Waits for more messages to come. */
	@FunctionalInterface
	interface Pause {

		void pause() throws InterruptedException;

	}

	/**
	 * Queues messages. If they are queued, their completion receives the results.
	 * @return why they were not queued; null if they were
	 */
	@Nullable String store(Group group) {
		if (this.ending || !this.groups.offer(group)) {
			return "The session has too many messages waiting, or its writer is ending";
		}
		if (this.ended) {
			// The thread may have ended between the check and the offer.
			failAll(new ArrayList<>(), CLOSED);
		}
		return null;
	}

	/** Whether it accepts no more messages. */
	boolean ended() {
		return this.ending || this.ended;
	}

	/** Whether all its messages are written or have failed. */
	boolean over() {
		return !this.thread.isAlive();
	}

	/** Writes the queued messages, then ends. Does not block. */
	void end() {
		this.ending = true;
	}

	/** Ends if it is idle. Returns false if it has messages to write. */
	boolean endIfIdle() {
		if (this.busy || !this.groups.isEmpty()) {
			return false;
		}
		end();
		return true;
	}

	void await(Duration timeout) {
		try {
			if (!this.thread.join(timeout)) {
				logger.warn("{} has not ended within {}", this.name, timeout);
			}
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		List<Group> batch = new ArrayList<>();
		Completed end = CLOSED;
		try (Producer<byte[], byte[]> producer = this.brokers.producer()) {
			try {
				producer.initTransactions();
				SessionState state = this.brokers.state();
				while (!this.ending || !this.groups.isEmpty()) {
					this.busy = false;
					collect(batch);
					if (!batch.isEmpty()) {
						write(producer, state, batch);
						batch.clear();
					}
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (StatusRuntimeException ex) {
				end = new Completed(null, ex.getStatus());
			}
			catch (RuntimeException ex) {
				logger.warn("{} could not be written: {}; its next writer reads the state from the brokers", this.name,
						ex.toString());
				end = Completed.notNow("Kafka did not acknowledge the transaction: " + ex);
				producer.close(Duration.ZERO);
			}
		}
		catch (RuntimeException ex) {
			end = Completed.notNow("The session's producer could not be created: " + ex);
		}
		finally {
			this.ending = true;
			this.ended = true;
			failAll(batch, end);
		}
	}

	private void collect(List<Group> batch) throws InterruptedException {
		Group next = this.groups.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
		this.busy = next != null;
		long bytes = 0;
		int messages = 0;
		while (next != null) {
			batch.add(next);
			for (Write write : next.writes) {
				bytes += write.content.payload().length;
			}
			messages += next.writes.size();
			if (this.large) {
				this.large = false;
				awaitMore();
			}
			next = (bytes < BATCH_BYTES && messages < BATCH_MESSAGES) ? this.groups.poll() : null;
		}
		this.large = bytes >= LARGE_BYTES;
	}

	/**
	 * Pauses while each pause brings more messages, at most {@value #MAX_PAUSES} times.
	 */
	private void awaitMore() throws InterruptedException {
		int before = -1;
		for (int i = 0; i < MAX_PAUSES && this.groups.size() > before; i++) {
			before = this.groups.size();
			this.pause.pause();
		}
	}

	/** If this throws, the state must not be used again. */
	private void write(Producer<byte[], byte[]> producer, SessionState state, List<Group> batch) {
		List<Write> written = new ArrayList<>();
		// They may repeat messages of this transaction, so they complete after the
		// commit.
		List<Write> repeats = new ArrayList<>();
		for (Group group : batch) {
			for (Write write : group.writes) {
				offer(state, write, written, repeats);
			}
		}
		if (!written.isEmpty()) {
			commit(producer, state, written);
		}
		written.forEach((write) -> write.done(Completed.STORED));
		repeats.forEach((write) -> write.done(Completed.REPEATED));
		batch.forEach(Group::complete);
	}

	private static void offer(SessionState state, Write write, List<Write> written, List<Write> repeats) {
		Place place = write.place;
		if (place.fence().isClosed()) {
			write.fail(Completed.notNow("An earlier message of the stream was not stored"));
			return;
		}
		state.settledBelow(place.session().firstUnsettled());
		if (place.isNew() && place.sequence() < state.end()) {
			write.fail(Completed.refused(Status.Code.FAILED_PRECONDITION,
					"Another copy of the client has sent this or a later message of the session; send the message in a "
							+ "new session"));
			return;
		}
		switch (state.offer(place.sequence(), write.content.checksum())) {
			case NEW -> written.add(write);
			case REPEAT -> repeats.add(write);
			case DIFFERENT -> write.done(Completed.refused(Status.Code.ALREADY_EXISTS,
					"Another message of the session has the sequence " + Long.toUnsignedString(place.sequence())));
			case TOO_MANY_GAPS -> write
				.fail(Completed.notNow("Too many older messages of the session are missing; they must come first"));
		}
	}

	private void commit(Producer<byte[], byte[]> producer, SessionState state, List<Write> written) {
		AtomicReference<@Nullable Write> tooLarge = new AtomicReference<>();
		try {
			producer.beginTransaction();
			// Offsets first: while the brokers end the previous transaction they refuse
			// the next one, and a refused offset is retried sooner than a refused batch.
			producer.sendOffsetsToTransaction(SessionBrokers.encode(state), new ConsumerGroupMetadata(this.name));
			int partitions = producer.partitionsFor(Topics.SINK).size();
			int ofSession = Math.floorMod(this.session.id().hashCode(), partitions);
			for (Write write : written) {
				Content content = write.content;
				int partition = content.key().isEmpty() ? ofSession
						: KafkaMessageStore.partition(content.key(), partitions);
				// Then Kafka's client fails what it has not sent yet with the same
				// exception.
				producer.send(
						TopicRecord.of(Topics.SINK, partition, content, this.session.id(), write.place.sequence()),
						(_, failure) -> {
							if (failure instanceof RecordTooLargeException) {
								tooLarge.compareAndSet(null, write);
							}
						});
			}
			producer.commitTransaction();
		}
		catch (RuntimeException ex) {
			Write refused = tooLarge.get();
			if (refused != null) {
				refused.done(KafkaMessageStore.TOO_LARGE);
			}
			throw ex;
		}
	}

	/** A failure ends its stream, so groups with a refusal have their results first. */
	private void failAll(List<Group> batch, Completed result) {
		this.groups.drainTo(batch);
		batch.sort(Comparator.comparing((group) -> group.writes.stream().allMatch((write) -> write.result == null)));
		batch.forEach((group) -> group.fail(result));
	}

}
