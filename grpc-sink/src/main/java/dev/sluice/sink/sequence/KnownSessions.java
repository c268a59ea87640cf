package dev.sluice.sink.sequence;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a storage that one process writes. Confined to one thread, or guarded.
 * <p>
 * A session is forgotten once nothing of it was stored for {@code maxAge} and there is no
 * room for another one. Bound: {@code maxSessions}; beyond, a new one waits until one of
 * these is old enough.
 */
public final class KnownSessions {

	private final int maxSessions;

	private final Duration maxAge;

	/** The one that was idle longest is first. */
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
	 * Knows none yet.
	 * @param maxSessions known at once
	 * @param maxAge for which a session is known after its last message
	 */
	public KnownSessions(int maxSessions, Duration maxAge) {
		this.maxSessions = maxSessions;
		this.maxAge = maxAge;
	}

	/**
	 * The state of a session, which is a new one if it is not known.
	 * @param nowMillis since the epoch
	 * @return null if there is no room for a new one
	 * @throws SessionForgottenException if the session is not known and may have been
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
	 * A session that is not known is a new one if its oldest message is younger than what
	 * is forgotten.
	 * @throws SessionForgottenException else
	 */
	public static void requireNew(ClientSession session, Duration maxAge) {
		if (session.ageMillis() > maxAge.toMillis()) {
			throw new SessionForgottenException(
					"The session is not known, and a message of it is older than what is remembered (%s, sink.session-age); "
						.formatted(maxAge) + "send the message in a new session");
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

	/** Null if the session is not known. */
	public @Nullable SessionState known(ByteString session) {
		Known known = this.sessions.get(session);
		return (known != null) ? known.state : null;
	}

	/** A session that the storage has. */
	public void put(ByteString session, SessionState state, long storedMillis) {
		this.sessions.put(session, new Known(state, storedMillis));
	}

	/** A message that the storage has. */
	public void found(ByteString session, long sequence, int checksum, long storedMillis) {
		Known known = this.sessions.computeIfAbsent(session, (_) -> new Known(new SessionState(), storedMillis));
		known.storedMillis = Math.max(known.storedMillis, storedMillis);
		known.state.found(sequence, checksum);
	}

	/** All of them, the one that was idle longest first. */
	public void forEach(Each each) {
		this.sessions.forEach((id, known) -> each.accept(id, known.state, known.storedMillis));
	}

	/** Takes a session, with when something of it was stored last. */
	@FunctionalInterface
	public interface Each {

		void accept(ByteString session, SessionState state, long storedMillis);

	}

	public int size() {
		return this.sessions.size();
	}

}
