package dev.sluice.sink.client;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import com.google.protobuf.ByteString;
import dev.sluice.sink.client.Spool.Entry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of the spool's messages, as the sink knows them: each opening of the spool
 * is one, and a message's number in the spool is its sequence, so both outlive the
 * process. A session that the sink has forgotten gets another name until the client is
 * closed. Confined to the event loop. Bound: one name for each opening whose messages the
 * spool has.
 */
final class WireSessions {

	private static final Logger logger = LoggerFactory.getLogger(WireSessions.class);

	private final SecureRandom random = new SecureRandom();

	private final Spool spool;

	private final Map<Long, ByteString> names = new HashMap<>();

	/** Of these the sink has forgotten the first name. */
	private final Set<Long> renewed = new HashSet<>();

	WireSessions(Spool spool) {
		this.spool = spool;
	}

	/** Names the session of a message to the sink. */
	ByteString id(long session) {
		return this.names.computeIfAbsent(session, WireSessions::bytes);
	}

	/**
	 * Says of a session what the sink has to know.
	 * @param first the first message of the session on a stream
	 */
	dev.sluice.contract.sink.Session announce(Entry first) {
		long age = this.renewed.contains(first.session()) ? 0 : System.currentTimeMillis() - first.appendedAt();
		return dev.sluice.contract.sink.Session.newBuilder()
			.setId(id(first.session()))
			.setFirstUnsettled(sequence(Math.min(first.number(), this.spool.firstUnsettled())))
			.setAgeMillis(Math.max(0, age))
			.build();
	}

	/** The sequence of a message in its session. */
	static long sequence(long number) {
		return number + 1;
	}

	/**
	 * The sink has forgotten a session. Messages in flight may be stored already.
	 * @param refused as the sink was told it
	 */
	void renew(long session, ByteString refused) {
		if (id(session).equals(refused)) {
			logger.warn(
					"The sink cannot tell which messages of session {} it has; what it has not acknowledged is sent in "
							+ "a new session, and stored twice if it was stored before",
					Long.toHexString(session));
			this.renewed.add(session);
			this.names.put(session, bytes(this.random.nextLong()));
		}
	}

	private static ByteString bytes(long session) {
		return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(session).flip());
	}

}
