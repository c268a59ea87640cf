package dev.sluice.sink.limit;

import java.util.HashMap;
import java.util.Map;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/** Limits the open streams, of all clients together and of each client. */
public final class StreamLimit {

	private final int all;

	private final int perClient;

	@GuardedBy("this")
	private final Map<Object, Integer> open = new HashMap<>();

	@GuardedBy("this")
	private int count;

	/**
	 * Creates a limit with no open streams.
	 * @param all maximum number of open streams
	 * @param perClient maximum number of open streams of one client; 0 = no limit of its
	 * own
	 */
	public StreamLimit(int all, int perClient) {
		this.all = all;
		this.perClient = perClient;
	}

	/** Counts a stream and returns null, or returns why it may not open. */
	public synchronized @Nullable String open(Object client) {
		if (this.count >= this.all) {
			return this.all + " streams are open, as many as sink.limits.max-streams allows";
		}
		int ofClient = this.open.getOrDefault(client, 0);
		if (this.perClient > 0 && ofClient >= this.perClient) {
			return "This client has " + ofClient
					+ " streams open, as many as sink.limits.max-streams-per-client allows";
		}
		this.open.put(client, ofClient + 1);
		this.count++;
		return null;
	}

	public synchronized void close(Object client) {
		this.open.computeIfPresent(client, (_, ofClient) -> (ofClient > 1) ? ofClient - 1 : null);
		this.count--;
	}

}
