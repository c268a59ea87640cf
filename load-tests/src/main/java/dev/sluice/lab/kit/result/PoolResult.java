package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Messages through a queue and a dispatcher, over connections that were kept or not.
 *
 * @param messages produced each second
 * @param backendMillis time of the backend for a message
 * @param newConnectionsPerSecond that the backend accepts
 * @param cases in order of execution
 */
@JsonTypeName("pool")
public record PoolResult(int messages, long backendMillis, int newConnectionsPerSecond,
		List<Case> cases) implements Finding {

	public PoolResult {
		cases = List.copyOf(cases);
	}

	/**
	 * With kept connections, or without.
	 *
	 * @param name {@code kept} or {@code new}
	 * @param connections how they are handled, in words
	 * @param statuses in order; the last is the end
	 */
	public record Case(String name, String connections, List<Status> statuses) {

		public Case {
			Objects.requireNonNull(name, "name");
			statuses = List.copyOf(statuses);
		}

	}

	/**
	 * The state at a time: produced = queued + in flight + written + errors.
	 *
	 * @param second since the beginning
	 * @param errors messages given up
	 * @param openConnections now
	 * @param openedConnections since the beginning
	 * @param shares times of the fastest shares of the written messages
	 */
	public record Status(double second, long produced, int queued, int inFlight, long errors, long failedAttempts,
			int openConnections, long openedConnections, List<Share> shares) {

		public Status {
			shares = List.copyOf(shares);
		}

		/** Messages written. */
		public long written() {
			return this.shares.isEmpty() ? 0 : this.shares.getFirst().written();
		}

	}

	/**
	 * The fastest share of the written messages, timed from when they were produced.
	 *
	 * @param percent size of the share
	 * @param written messages in it
	 * @param meanMillis of these, which leaves out the slow ones, as the reference does
	 * @param maxMillis of these
	 * @param percentileMillis true percentile, nearest rank
	 */
	public record Share(double percent, long written, double meanMillis, double minMillis, double maxMillis,
			@Nullable Double percentileMillis) {
	}

}
