package dev.sluice.sink.client.wire;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.spool.Spool;
import dev.sluice.sink.client.spool.Spool.Entry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session ids of the spool's messages on the wire. Each opening of the spool is a
 * session, and a message's sequence is derived from its number in the spool, so both
 * survive the process. A session that the sink has forgotten gets a new id until the
 * client is closed. Confined to the event loop. Bounded by the number of openings with
 * messages in the spool.
 */
public final class WireSessions {

	private static final Logger logger = LoggerFactory.getLogger(WireSessions.class);

	private final SecureRandom random = new SecureRandom();

	private final Spool spool;

	private final Map<Long, ByteString> names = new HashMap<>();

	/** Sessions whose first id the sink has forgotten. */
	private final Set<Long> renewed = new HashSet<>();

	/** The sequence after the highest that was sent of this opening of the spool. */
	private long firstNew = 1;

	public WireSessions(Spool spool) {
		this.spool = spool;
	}

	/** The id on the wire of a session of the spool. */
	public ByteString id(long session) {
		return this.names.computeIfAbsent(session, WireSessions::bytes);
	}

	/**
	 * Creates the announcement of a session.
	 * @param first the first message of the session on a stream
	 */
	dev.sluice.contract.sink.Session announce(Entry first) {
		long age = this.renewed.contains(first.session()) ? 0 : System.currentTimeMillis() - first.appendedAt();
		return dev.sluice.contract.sink.Session.newBuilder()
			.setId(id(first.session()))
			.setFirstUnsettled(sequence(Math.min(first.number(), this.spool.firstUnsettled())))
			.setAgeMillis(Math.max(0, age))
			// An earlier opening may have sent any of its messages.
			.setFirstNew((first.session() == this.spool.session()) ? this.firstNew : 0)
			.build();
	}

	/** Notes that a message is sent. A copy of this process knows nothing of it. */
	void sent(Entry entry) {
		if (entry.session() == this.spool.session()) {
			this.firstNew = Math.max(this.firstNew, sequence(entry.number()) + 1);
		}
	}

	/** The sequence of a message in its session. */
	static long sequence(long number) {
		return number + 1;
	}

	/**
	 * Gives a session that the sink has forgotten, or that a copy of this process uses, a
	 * new id. Messages in flight may already be stored.
	 */
	public void renew(long session) {
		logger.warn("The sink cannot tell which messages of session {} it has: it has forgotten it, or a copy of this "
				+ "process uses it; unacknowledged ones are sent again in a new session, and stored twice if they were "
				+ "stored before", Long.toHexString(session));
		this.renewed.add(session);
		this.names.put(session, bytes(this.random.nextLong()));
	}

	private static ByteString bytes(long session) {
		return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(session).flip());
	}

}
