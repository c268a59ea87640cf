package dev.sluice.lab.kit.plan;

import java.net.URI;
import java.time.Instant;
import java.util.List;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import org.jspecify.annotations.Nullable;

/**
 * A number of orders, or as many as fit into a time. Each user places one order at a time
 * and retries it until it is accepted. A phase ends when the backend has saved them.
 *
 * @param name unique in its round; part of its files' names and of its orders' keys
 * @param targets targets of the orders, in turn
 * @param extent how many orders
 * @param client who places them
 * @param behaviour behaviour of the backend, set before the phase
 * @param deadlineMillis time after which no order is tried or awaited any more, in
 * milliseconds
 */
public record Phase(String name, List<Target> targets, Extent extent, Client client, BackendBehaviour behaviour,
		long deadlineMillis) {

	public Phase {
		targets = List.copyOf(targets);
	}

	/** The same under another name. */
	public Phase named(String other) {
		return new Phase(other, this.targets, this.extent, this.client, this.behaviour, this.deadlineMillis);
	}

	/**
	 * A gateway and the mode of the orders sent to it.
	 *
	 * @param gateway base address of the gateway
	 * @param mode mode of the orders
	 */
	public record Target(URI gateway, Mode mode) {
	}

	/**
	 * How many orders a phase has.
	 *
	 * @param orders number of orders; the least number for a phase with a time
	 * @param lastMillis least time for which orders are placed, in milliseconds; 0 =
	 * until all are placed
	 * @param mostBacklog number of orders accepted and not yet saved at which a phase
	 * with a time places no more, once it has placed its least number; 0 = no limit
	 */
	public record Extent(int orders, long lastMillis, int mostBacklog) {

		public Extent {
			if (orders < 1) {
				throw new IllegalArgumentException("A phase needs at least one order");
			}
		}

		/** A number of orders. */
		public static Extent of(int orders) {
			return new Extent(orders, 0, 0);
		}

		/** As many orders as users place in a time. */
		public static Extent lasting(long millis) {
			return new Extent(1, millis, 0);
		}

		/** Whether orders are placed for a time, however many that makes. */
		public boolean isTimed() {
			return this.lastMillis > 0;
		}

	}

	/**
	 * Who places the orders of a phase.
	 *
	 * @param users maximum number of users at once
	 * @param keepsConnections whether connections are kept; otherwise each call closes
	 * its own, and before the phase there is time for the gateway to close those that it
	 * has kept
	 * @param perSecond orders due per second, on schedule, as long as a user is free; 0 =
	 * one whenever a user is free
	 * @param items number of items of an order
	 */
	public record Client(int users, boolean keepsConnections, double perSecond, int items) {

		/** The usual number of items of an order. */
		public static final int ITEMS = 2;

		public Client {
			if (users < 1) {
				throw new IllegalArgumentException("A phase needs at least one user");
			}
		}

		/** Users who keep their connections and each place the next order at once. */
		public static Client of(int users) {
			return new Client(users, true, 0, ITEMS);
		}

	}

	/**
	 * How a measured phase ended, which leaves it as a JSON file.
	 *
	 * @param name the phase's name
	 * @param placed orders that users began
	 * @param accepted orders that were answered 201 or 202
	 * @param endedAt when the audit was read
	 * @param audit the backend's audit of the phase
	 * @param startLagP99Millis how late 99 % of the orders that were due by the clock, or
	 * with the first, were begun at most, in milliseconds
	 */
	public record Outcome(String name, long placed, long accepted, Instant endedAt, BackendAudit audit,
			int startLagP99Millis) {
	}

	/**
	 * A few seconds of a warm-up, all services together.
	 *
	 * @param endSeconds since the beginning of the warm-up
	 * @param savedPerSecond by the backend
	 * @param cpuMillisPerOrder of all sampled processes, per saved order
	 * @param jitShare of that CPU time, by compilers
	 */
	public record WarmUpWindow(double endSeconds, double savedPerSecond, @Nullable Double cpuMillisPerOrder,
			@Nullable Double jitShare) {

		/**
		 * Above this share of the CPU time the JVMs are cold. The rates of cold JVMs
		 * agree too, as long as the compilers have more to do than their share of the
		 * cores allows.
		 */
		public static final double MAX_JIT_SHARE = 0.05;

		/**
		 * The greatest difference, in rate and in CPU per order, between two windows that
		 * agree, as a share of the greater.
		 */
		public static final double AGREE_WITHIN = 0.10;

		/**
		 * Whether the last two windows agree and the compilers have little left to do.
		 */
		public static boolean isWarm(List<WarmUpWindow> windows) {
			if (windows.size() < 2) {
				return false;
			}
			WarmUpWindow last = windows.getLast();
			WarmUpWindow before = windows.get(windows.size() - 2);
			return (last.jitShare() == null || last.jitShare() <= MAX_JIT_SHARE)
					&& near(before.savedPerSecond(), last.savedPerSecond())
					&& (before.cpuMillisPerOrder() == null || last.cpuMillisPerOrder() == null
							|| near(before.cpuMillisPerOrder(), last.cpuMillisPerOrder()));
		}

		private static boolean near(double one, double other) {
			double greater = Math.max(one, other);
			return greater > 0 && Math.abs(one - other) <= AGREE_WITHIN * greater;
		}

	}

	/**
	 * A warm-up is windows of load, each with a rest after it for the compilers. It ends
	 * when two successive windows agree in the rate of saved orders and in the CPU time
	 * of an order, or with the first window that ends after the longest time, which is up
	 * to a minute more while nothing has been saved.
	 *
	 * @param windowMillis length of a window, in milliseconds
	 * @param leastMillis shortest time after which it may end, in milliseconds
	 * @param mostMillis time after which it ends even if it has not settled, in
	 * milliseconds
	 */
	public record Settling(long windowMillis, long leastMillis, long mostMillis) {

		/**
		 * The warm-up of new JVMs. Two cores can need five minutes to compile seven JVMs.
		 */
		public static final Settling WHOLE = new Settling(5_000, 30_000, 360_000);

		private static final long MAX_EXTRA_MILLIS = 60_000;

		private static final int EXTRA_FACTOR = 10;

		private static final long MIN_MILLIS_FOR_JVMS = 10_000;

		/**
		 * Whether it is long enough for JVMs to become warm; otherwise its end proves
		 * nothing.
		 */
		public boolean isLong() {
			return this.leastMillis >= MIN_MILLIS_FOR_JVMS;
		}

		/**
		 * The time after which it ends even if nothing has been saved, in milliseconds. A
		 * slow machine can need more than a short warm-up for its first order.
		 */
		public long mostUnsavedMillis() {
			return this.mostMillis + Math.min(EXTRA_FACTOR * this.mostMillis, MAX_EXTRA_MILLIS);
		}

	}

}
