package dev.sluice.lab.kit.plan;

import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import org.jspecify.annotations.Nullable;

/**
 * The load generator's work, passed to its process as JSON: phases, one after another.
 *
 * @param token part of every idempotency key, so that two runs never share one
 * @param gateway base address of the gateway for every phase without targets
 * @param backend base address of the backend
 * @param results directory in which each measured phase leaves its {@code <name>.json}
 * @param pids ids of the processes that must be at rest before a phase begins; it waits
 * for some seconds at most
 * @param phases in the order they run
 */
public record LoadPlan(String token, URI gateway, URI backend, Path results, List<Long> pids, List<Phase> phases) {

	public LoadPlan {
		pids = List.copyOf(pids);
		phases = List.copyOf(phases);
	}

	/** A plan that waits for no process. */
	public LoadPlan(String token, URI gateway, URI backend, Path results, List<Phase> phases) {
		this(token, gateway, backend, results, List.of(), phases);
	}

	/** This plan, waiting for these processes between its phases. */
	public LoadPlan awaiting(Collection<Long> others) {
		return new LoadPlan(this.token, this.gateway, this.backend, this.results, List.copyOf(others), this.phases);
	}

	/**
	 * A number of orders, or as many as fit into a time. Each user places one order at a
	 * time and retries it until it is accepted. A phase ends when the backend has saved
	 * them.
	 *
	 * @param name unique in the plan; the name of its requests in the Gatling log
	 * @param mode mode of the orders
	 * @param orders number of orders; the least number for a phase with a time
	 * @param users maximum number of users at once
	 * @param behaviour behaviour of the backend, set before the phase
	 * @param deadlineMillis time after which no order is tried or awaited any more, in
	 * milliseconds
	 * @param measured whether its requests are logged and its audit is kept; a warm-up's
	 * are not
	 * @param lastMillis least time for which orders are placed, in milliseconds; 0 =
	 * until all are placed
	 * @param client how its users behave
	 * @param flap behaviour that the backend alternates with; null = it does not flap
	 * @param targets targets of the orders, in turn; empty = the plan's gateway
	 * @param warmUp rule by which it ends as a warm-up; null = it is not a warm-up
	 * @param mostBacklog number of orders accepted and not yet saved at which a phase
	 * with a time places no more, once it has placed its least number; 0 = no limit
	 */
	public record Phase(String name, Mode mode, int orders, int users, BackendBehaviour behaviour, long deadlineMillis,
			boolean measured, long lastMillis, Client client, @Nullable Flap flap, List<Target> targets,
			@Nullable Settling warmUp, int mostBacklog) {

		public Phase {
			targets = List.copyOf(targets);
			if (orders < 1 || users < 1) {
				throw new IllegalArgumentException(
						"A phase needs at least one order and one user: " + name + " has " + orders + " and " + users);
			}
		}

		/** A phase with a number of orders. */
		public Phase(String name, Mode mode, int orders, int users, BackendBehaviour behaviour, long deadlineMillis,
				boolean measured) {
			this(name, mode, orders, users, behaviour, deadlineMillis, measured, 0, Client.USUAL, null, List.of(), null,
					0);
		}

		/**
		 * A phase with as many orders as its users place in a time, one after another. It
		 * does not wait for orders that are not saved at its end.
		 */
		public static Phase lasting(long millis, String name, Mode mode, int users, BackendBehaviour behaviour) {
			return new Phase(name, mode, 1, users, behaviour, millis, true).lasting(millis);
		}

		/** This phase, lasting at least this long, in milliseconds. */
		public Phase lasting(long millis) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, millis, this.client, this.flap, this.targets, this.warmUp, this.mostBacklog);
		}

		/** This phase, with orders to these targets in turn. */
		public Phase at(List<Target> others) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, this.flap, others, this.warmUp, this.mostBacklog);
		}

		/** This phase as a warm-up that ends by this rule. */
		public Phase until(Settling rule) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, this.flap, this.targets, rule, this.mostBacklog);
		}

		/**
		 * This phase, ending early when this many orders are accepted and not yet saved.
		 */
		public Phase withBacklogUpTo(int most) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, this.flap, this.targets, this.warmUp, most);
		}

		/** This phase with other users. */
		public Phase with(Client other) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, other, this.flap, this.targets, this.warmUp, this.mostBacklog);
		}

		/** This phase with a backend that flaps. */
		public Phase with(@Nullable Flap other) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, other, this.targets, this.warmUp, this.mostBacklog);
		}

		/** Whether orders are placed for a time, however many that makes. */
		public boolean isTimed() {
			return this.lastMillis > 0;
		}

		/** Whether it leaves a file when it ends. */
		public boolean writesOutcome() {
			return this.measured || this.warmUp != null;
		}

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
	 * When a warm-up ends: when two successive windows agree in the rate of saved orders
	 * and in the CPU time of an order, or with the first window that ends after the
	 * longest time, which is up to a minute more while nothing has been saved.
	 *
	 * @param windowMillis length of a window, in milliseconds
	 * @param leastMillis shortest time after which it may end, in milliseconds
	 * @param mostMillis time after which it ends even if it has not settled, in
	 * milliseconds
	 * @param within greatest difference between two windows that agree, as a share of the
	 * greater
	 */
	public record Settling(long windowMillis, long leastMillis, long mostMillis, double within) {

		/**
		 * The warm-up of new JVMs. Two cores can need five minutes to compile seven JVMs.
		 */
		public static final Settling WHOLE = new Settling(5_000, 30_000, 360_000, WarmUpWindow.AGREE_WITHIN);

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

		/**
		 * The longest time for which orders are placed, in milliseconds: until after the
		 * last window, however late that ends. A window that lacks load agrees with no
		 * other.
		 */
		public long loadMillis() {
			return mostUnsavedMillis() + 2 * this.windowMillis;
		}

	}

	/**
	 * How the users of a phase behave.
	 *
	 * @param keepsConnections whether connections are kept; otherwise each call closes
	 * its own, and before the phase there is time for the gateway to close those that it
	 * has kept
	 * @param perSecond orders due per second, on schedule, as long as a user is free; 0 =
	 * one whenever a user is free
	 * @param items number of items of an order
	 */
	public record Client(boolean keepsConnections, double perSecond, int items) {

		public static final Client USUAL = new Client(true, 0, 2);

		/** These users, with orders on schedule and of another size. */
		public Client placing(double rate, int count) {
			return new Client(this.keepsConnections, rate, count);
		}

		public Client keepingConnections(boolean kept) {
			return new Client(kept, this.perSecond, this.items);
		}

	}

	/**
	 * A backend that alternates between the phase's behaviour and another, beginning with
	 * the phase's.
	 *
	 * @param wellMillis how long it has the phase's behaviour, in milliseconds
	 * @param unwellMillis how long it has the other one, in milliseconds
	 * @param unwell the other behaviour
	 */
	public record Flap(long wellMillis, long unwellMillis, BackendBehaviour unwell) {
	}

}
