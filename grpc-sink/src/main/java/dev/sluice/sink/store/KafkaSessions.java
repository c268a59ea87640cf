package dev.sluice.sink.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.store.MessageStore.Completed;
import dev.sluice.sink.store.MessageStore.Placed;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that this process writes to the topic, each by a {@link SessionWriter}.
 * <p>
 * Bounded by {@code maxWriters} writers, each with its own producer, and as many that are
 * ending. A further session ends the writer that has been idle longest; while none is
 * idle, its messages are refused.
 */
public final class KafkaSessions implements AutoCloseable {

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private final Map<String, Object> config;

	private final int maxWriters;

	private final Duration wantedAge;

	private final BiFunction<ClientSession, Duration, SessionWriter> writing;

	/** At most the time for which the brokers remember a session. */
	private volatile Duration maxAge;

	/** In access order: the first was used longest ago. */
	@GuardedBy("this")
	private final Map<ByteString, SessionWriter> writers = new LinkedHashMap<>(16, 0.75f, true);

	@GuardedBy("this")
	private boolean closed;

	/**
	 * Creates a set without writers.
	 * @param config configuration of the producers, without transactional settings
	 * @param maxWriters maximum number of writers
	 * @param maxAge time for which a session is remembered after its last message
	 */
	public KafkaSessions(Map<String, Object> config, int maxWriters, Duration maxAge) {
		this(config, maxWriters, maxAge, (session, age) -> new SessionWriter(config, session, age));
	}

	/**
	 * Creates a set without writers.
	 * @param writing creates a session's writer, given that time as the brokers limit it
	 */
	KafkaSessions(Map<String, Object> config, int maxWriters, Duration maxAge,
			BiFunction<ClientSession, Duration, SessionWriter> writing) {
		this.config = Map.copyOf(config);
		this.maxWriters = maxWriters;
		this.wantedAge = maxAge;
		this.maxAge = maxAge;
		this.writing = writing;
	}

	/** Stores messages of one stream and session. */
	void store(List<Placed> messages, Consumer<List<Completed>> completion) {
		SessionWriter.Group group = new SessionWriter.Group(messages, completion);
		String refusal = null;
		synchronized (this) {
			ClientSession session = Objects.requireNonNull(messages.getFirst().place()).session();
			SessionWriter writer = this.writers.get(session.id());
			if (writer == null || writer.ended()) {
				refusal = refusal(session.id());
				if (refusal == null) {
					writer = this.writing.apply(session, this.maxAge);
					this.writers.put(session.id(), writer);
				}
			}
			if (writer != null && refusal == null) {
				// Under the lock, so the session's messages are queued in order.
				refusal = writer.store(group);
			}
		}
		if (refusal != null) {
			group.fail(Completed.notNow(refusal));
		}
	}

	/**
	 * Returns why a session gets no new writer now; null if it does. While its last
	 * writer may still write, a new one could overtake it and store later messages first.
	 */
	@GuardedBy("this")
	private @Nullable String refusal(ByteString session) {
		this.writers.values().removeIf(SessionWriter::over);
		if (this.closed) {
			return "The sink is shutting down";
		}
		if (this.writers.containsKey(session)) {
			return "The session's last writer is ending";
		}
		long writing = this.writers.values().stream().filter((writer) -> !writer.ended()).count();
		return ((writing < this.maxWriters || endIdle()) && this.writers.size() < 2 * this.maxWriters) ? null
				: "As many sessions are being written as sink.sessions.max-writers allows";
	}

	@GuardedBy("this")
	private boolean endIdle() {
		return this.writers.values().stream().anyMatch((writer) -> !writer.ended() && writer.endIfIdle());
	}

	/**
	 * Ends all writers, so that states are read again from the brokers: the topic is
	 * another one.
	 */
	public void forget() throws InterruptedException {
		synchronized (this) {
			this.writers.values().forEach(SessionWriter::end);
		}
		Map<String, Object> admin = new HashMap<>(this.config);
		admin.keySet().retainAll(AdminClientConfig.configNames());
		this.maxAge = OffsetsRetention.limit(admin, this.wantedAge);
	}

	/** Writes the queued messages, for at most 10 s. */
	@Override
	public void close() {
		List<SessionWriter> all;
		synchronized (this) {
			this.closed = true;
			all = List.copyOf(this.writers.values());
		}
		all.forEach(SessionWriter::end);
		long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
		all.forEach((writer) -> writer.await(Duration.ofNanos(Math.max(1, deadline - System.nanoTime()))));
	}

}
