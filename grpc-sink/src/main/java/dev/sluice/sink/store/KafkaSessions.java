package dev.sluice.sink.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.google.errorprone.annotations.ThreadSafe;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import dev.sluice.sink.format.Content;
import dev.sluice.sink.sequence.ClientSession;
import dev.sluice.sink.sequence.Place;
import dev.sluice.sink.store.MessageStore.StoreUnavailableException;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * The sessions that this process writes to the topic, each by a {@link SessionWriter}.
 * <p>
 * Bound: {@code maxWriters}, each with a producer of its own. Beyond, the one that was
 * idle longest is closed; while none is idle, messages of further sessions are not taken.
 */
@ThreadSafe
final class KafkaSessions implements AutoCloseable {

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private final Map<String, Object> config;

	private final int maxWriters;

	private final Duration wantedAge;

	/** No longer than the brokers know a session. */
	private volatile Duration maxAge;

	/** The one that was used longest ago is first. */
	@GuardedBy("this")
	private final Map<ByteString, SessionWriter> writers = new LinkedHashMap<>(16, 0.75f, true);

	@GuardedBy("this")
	private boolean closed;

	/**
	 * Writes nothing yet.
	 * @param config of the producers; what makes them transactional is added
	 * @param maxWriters at once
	 * @param maxAge for which the brokers know a session after its last message
	 */
	KafkaSessions(Map<String, Object> config, int maxWriters, Duration maxAge) {
		this.config = Map.copyOf(config);
		this.maxWriters = maxWriters;
		this.wantedAge = maxAge;
		this.maxAge = maxAge;
	}

	CompletableFuture<OnceStore.Outcome> store(Place place, Content content) {
		synchronized (this) {
			ClientSession session = place.session();
			SessionWriter writer = this.writers.get(session.id());
			if (writer != null && writer.ended()) {
				this.writers.remove(session.id());
				writer = null;
			}
			if (this.closed || (writer == null && this.writers.size() >= this.maxWriters && !closeIdle())) {
				place.fence().close();
				return CompletableFuture
					.failedFuture(new StoreUnavailableException(this.closed ? "The sink is shutting down"
							: "As many sessions send at once as there may (sink.max-writers)"));
			}
			if (writer == null) {
				writer = new SessionWriter(this.config, session, this.maxAge);
				this.writers.put(session.id(), writer);
			}
			return writer.store(place, content);
		}
	}

	/** One that has ended makes room too. */
	@GuardedBy("this")
	private boolean closeIdle() {
		Iterator<SessionWriter> all = this.writers.values().iterator();
		while (all.hasNext()) {
			SessionWriter writer = all.next();
			if (writer.ended() || writer.endIfIdle()) {
				all.remove();
				return true;
			}
		}
		return false;
	}

	/** What the brokers know is asked for again. */
	void forget() throws InterruptedException {
		synchronized (this) {
			this.writers.values().forEach(SessionWriter::end);
			this.writers.clear();
		}
		Map<String, Object> admin = new HashMap<>(this.config);
		admin.keySet().retainAll(AdminClientConfig.configNames());
		this.maxAge = OffsetsRetention.limit(admin, this.wantedAge);
	}

	/** Stores what was taken, for at most 10 s. */
	@Override
	public void close() {
		List<SessionWriter> all;
		synchronized (this) {
			this.closed = true;
			all = List.copyOf(this.writers.values());
			this.writers.clear();
		}
		all.forEach(SessionWriter::end);
		long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
		all.forEach((writer) -> writer.await(Duration.ofNanos(Math.max(1, deadline - System.nanoTime()))));
	}

}
