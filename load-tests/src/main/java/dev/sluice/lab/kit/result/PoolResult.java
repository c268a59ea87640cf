package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Messages on a schedule, over connections that were kept or not.
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
	 * @param statuses at the end of each second
	 * @param shares times of the fastest shares of the written messages
	 */
	public record Case(String name, String connections, List<Status> statuses, List<Share> shares) {

		public Case {
			Objects.requireNonNull(name, "name");
			statuses = List.copyOf(statuses);
			shares = List.copyOf(shares);
		}
	}

	/**
	 * The state at a time: produced = written + in flight + errors.
	 *
	 * @param second since the beginning
	 * @param errors messages given up
	 * @param openedConnections since the beginning
	 */
	public record Status(int second, long produced, long written, long inFlight, long errors, long openedConnections) {
	}

	/**
	 * The fastest share of the written messages, timed from when they were due.
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
