package dev.sluice.sink.sequence;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a storage with one writing process remembers. Not thread-safe.
 * <p>
 * Bounded by {@code maxSessions}. When there is no room for a new session, the one that
 * has been idle longest is forgotten if its last message was stored more than
 * {@code maxAge} ago. Otherwise the new one must wait until one is old enough.
 */
public final class KnownSessions {

	private final int maxSessions;

	private final Duration maxAge;

	/** In access order: the first has been idle longest. */
	private final Map<ByteString, Known> sessions = new LinkedHashMap<>(16, 0.75f, true);

	private static final class Known {

		private final SessionState state;

		private long storedMillis;

		Known(SessionState state, long storedMillis) {
			this.state = state;
			this.storedMillis = storedMillis;
		}

	}

	/**
	 * Creates an empty set of sessions.
	 * @param maxSessions maximum number of sessions
	 * @param maxAge minimum time for which a session is remembered after its last message
	 */
	public KnownSessions(int maxSessions, Duration maxAge) {
		this.maxSessions = maxSessions;
		this.maxAge = maxAge;
	}

	/**
	 * Returns the state of a session. A session that is not known is added.
	 * @param nowMillis now, in milliseconds since the epoch
	 * @return null if there is no room for a new session
	 * @throws SessionForgottenException if the session is not known, but may be an old
	 * one that was forgotten
	 */
	public @Nullable SessionState of(ClientSession session, long nowMillis) {
		Known known = this.sessions.get(session.id());
		if (known == null) {
			requireNew(session, this.maxAge);
			if (this.sessions.size() >= this.maxSessions && !forgetOldest(nowMillis)) {
				return null;
			}
			known = new Known(new SessionState(), nowMillis);
			this.sessions.put(session.id(), known);
		}
		known.storedMillis = nowMillis;
		known.state.settledBelow(session.firstUnsettled());
		return known.state;
	}

	/**
	 * Checks that an unknown session is new: its oldest message is too young to belong to
	 * a forgotten session.
	 * @throws SessionForgottenException if it is not
	 */
	public static void requireNew(ClientSession session, Duration maxAge) {
		if (session.ageMillis() > maxAge.toMillis()) {
			throw new SessionForgottenException(
					("The session is unknown, and its oldest message is older than sessions are remembered "
							+ "(%s, sink.session-age); send the message in a new session")
						.formatted(maxAge));
		}
	}

	private boolean forgetOldest(long nowMillis) {
		Iterator<Known> oldest = this.sessions.values().iterator();
		if (!oldest.hasNext() || nowMillis - oldest.next().storedMillis <= this.maxAge.toMillis()) {
			return false;
		}
		oldest.remove();
		return true;
	}

	/** The state of a session; null if it is not known. */
	public @Nullable SessionState known(ByteString session) {
		Known known = this.sessions.get(session);
		return (known != null) ? known.state : null;
	}

	/** Adds a session found in the storage. */
	public void put(ByteString session, SessionState state, long storedMillis) {
		this.sessions.put(session, new Known(state, storedMillis));
	}

	/** Adds a message found in the storage. */
	public void found(ByteString session, long sequence, int checksum, long storedMillis) {
		Known known = this.sessions.computeIfAbsent(session, (_) -> new Known(new SessionState(), storedMillis));
		known.storedMillis = Math.max(known.storedMillis, storedMillis);
		known.state.found(sequence, checksum);
	}

	/** Visits all sessions; the one that has been idle longest is first. */
	public void forEach(Each each) {
		this.sessions.forEach((id, known) -> each.accept(id, known.state, known.storedMillis));
	}

	/** Takes a session and the time at which its last message was stored. */
	@FunctionalInterface
	public interface Each {

		void accept(ByteString session, SessionState state, long storedMillis);

	}

	public int size() {
		return this.sessions.size();
	}

}
