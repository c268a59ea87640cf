package dev.sluice.lab.kit.plan;

import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import org.jspecify.annotations.Nullable;

/**
 * What the load generator is to do, as JSON for its process: phases one after another
 * against one gateway.
 *
 * @param token part of every idempotency key, so that two runs never share one
 * @param gateway the base address of the gateway of every phase without targets
 * @param backend the backend's base address
 * @param results where each measured phase leaves its {@code <name>.json}
 * @param pids of the processes that must be at rest before a phase begins, for some
 * seconds at most
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

	/** The same, which waits for these processes between its phases. */
	public LoadPlan awaiting(Collection<Long> others) {
		return new LoadPlan(this.token, this.gateway, this.backend, this.results, List.copyOf(others), this.phases);
	}

	/**
	 * A number of orders, or as many as fit into a time, placed by users who each place
	 * one at a time, again and again until it is taken. A phase ends when the backend has
	 * saved them.
	 *
	 * @param name unique in the plan; the name of its requests in the Gatling log
	 * @param mode how the orders are asked to be taken
	 * @param orders how many; of a phase with a time, at least
	 * @param users how many at once, at most
	 * @param behaviour the backend's, set before
	 * @param deadlineMillis after it no order is tried or awaited any more, in
	 * milliseconds
	 * @param measured whether its requests are logged and its audit is kept; a warm-up's
	 * are not
	 * @param lastMillis for which orders are placed at least, in milliseconds; 0 = until
	 * all are placed
	 * @param client how its users behave
	 * @param flap what the backend turns into now and then; null = it stays as it is
	 * @param targets that the orders go to by turns; empty = the plan's gateway
	 * @param warmUp when it ends as a warm-up; null = it is none
	 * @param mostBacklog orders accepted and not yet saved with which a phase with a time
	 * places no more, once it has its least; 0 = as many as come
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

		/** A number of orders. */
		public Phase(String name, Mode mode, int orders, int users, BackendBehaviour behaviour, long deadlineMillis,
				boolean measured) {
			this(name, mode, orders, users, behaviour, deadlineMillis, measured, 0, Client.USUAL, null, List.of(), null,
					0);
		}

		/**
		 * As many orders as so many users place in a time, one after another. It does not
		 * wait for what is not saved by then.
		 */
		public static Phase lasting(long millis, String name, Mode mode, int users, BackendBehaviour behaviour) {
			return new Phase(name, mode, 1, users, behaviour, millis, true).lasting(millis);
		}

		/** One that lasts at least so long, in milliseconds. */
		public Phase lasting(long millis) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, millis, this.client, this.flap, this.targets, this.warmUp, this.mostBacklog);
		}

		/** With orders to these gateways by turns. */
		public Phase at(List<Target> others) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, this.flap, others, this.warmUp, this.mostBacklog);
		}

		/** A warm-up that ends by this rule. */
		public Phase until(Settling rule) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, this.flap, this.targets, rule, this.mostBacklog);
		}

		/** One that ends early with so many orders accepted and not yet saved. */
		public Phase withBacklogUpTo(int most) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, this.flap, this.targets, this.warmUp, most);
		}

		/** With other users. */
		public Phase with(Client other) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, other, this.flap, this.targets, this.warmUp, this.mostBacklog);
		}

		/** Before a backend that flaps. */
		public Phase with(@Nullable Flap other) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, other, this.targets, this.warmUp, this.mostBacklog);
		}

		/** Whether orders are placed for a time, however many they come to. */
		public boolean isTimed() {
			return this.lastMillis > 0;
		}

		/** Whether it leaves a file when it ends. */
		public boolean leavesOutcome() {
			return this.measured || this.warmUp != null;
		}

	}

	/**
	 * Where orders go, and how.
	 *
	 * @param gateway its base address
	 * @param mode how the orders are asked to be taken
	 */
	public record Target(URI gateway, Mode mode) {
	}

	/**
	 * When a warm-up ends: when two successive windows agree in the rate of saved orders
	 * and in the CPU time of an order, or with the first window that ends after the
	 * longest time.
	 *
	 * @param windowMillis length of a window, in milliseconds
	 * @param leastMillis before which it does not end, in milliseconds
	 * @param within by which share of the greater two windows may differ and still agree
	 */
	public record Settling(long windowMillis, long leastMillis, double within) {

		/** Of new JVMs. */
		public static final Settling WHOLE = new Settling(5_000, 30_000, WarmUpWindow.AGREE_WITHIN);

		private static final long LEAST_FOR_JVMS = 10_000;

		private static final int MOST = 6;

		/** Whether JVMs can become warm in it; otherwise nothing follows from its end. */
		public boolean isLong() {
			return this.leastMillis >= LEAST_FOR_JVMS;
		}

		/** After which it ends though it has not settled, in milliseconds. */
		public long mostMillis() {
			return this.leastMillis * MOST;
		}

		/**
		 * For how long orders are placed at most, in milliseconds: until after the last
		 * window, however late that ends. A window that lacks load agrees with none.
		 */
		public long loadMillis() {
			return mostMillis() + 2 * this.windowMillis;
		}

	}

	/**
	 * How the users of a phase behave.
	 *
	 * @param timeoutMillis after which a call is given up and made again, in milliseconds
	 * @param keepsKey whether a call made again has the {@code Idempotency-Key} of the
	 * first; otherwise it is a new order
	 * @param keepsConnections whether connections are kept; otherwise each call closes
	 * its own, and before the phase there is time for the gateway to close those that it
	 * had kept
	 * @param perSecond orders due a second, by the clock, as long as a user is free; 0 =
	 * whenever one is
	 * @param items of an order
	 */
	public record Client(long timeoutMillis, boolean keepsKey, boolean keepsConnections, double perSecond, int items) {

		public static final Client USUAL = new Client(60_000, true, true, 0, 2);

		/** With orders by the clock, of another size. */
		public Client placing(double rate, int count) {
			return new Client(this.timeoutMillis, this.keepsKey, this.keepsConnections, rate, count);
		}

	}

	/**
	 * A backend that is well and unwell by turns, beginning well with the phase.
	 *
	 * @param wellMillis for which it is as the phase wants it, in milliseconds
	 * @param unwellMillis for which it is otherwise, in milliseconds
	 * @param unwell how it is then
	 */
	public record Flap(long wellMillis, long unwellMillis, BackendBehaviour unwell) {
	}

}
