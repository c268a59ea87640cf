package dev.sluice.lab.kit.plan;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import org.jspecify.annotations.Nullable;

/**
 * What the load generator is to do, as JSON for its process: phases one after another
 * against one gateway.
 *
 * @param token part of every idempotency key, so that two runs never share one
 * @param gateway the gateway's base address
 * @param backend the backend's base address
 * @param results where each measured phase leaves its {@code <name>.json}
 * @param phases in the order they run
 */
public record LoadPlan(String token, URI gateway, URI backend, Path results, List<Phase> phases) {

	public LoadPlan {
		phases = List.copyOf(phases);
	}

	/**
	 * A number of orders, or as many as fit into a time, placed by users who each place
	 * one at a time, again and again until it is taken.
	 *
	 * @param name unique in the plan; the name of its requests in the Gatling log
	 * @param mode how the orders are asked to be taken
	 * @param orders how many
	 * @param users how many at once, at most
	 * @param behaviour the backend's, set before
	 * @param deadlineMillis after it no order is tried or awaited any more, in
	 * milliseconds
	 * @param measured whether its requests are logged and its audit is kept; a warm-up's
	 * are not
	 * @param lastMillis for which orders are placed, however many; 0 = until all are
	 * placed and saved
	 * @param client how its users behave
	 * @param flap what the backend turns into now and then; null = it stays as it is
	 */
	public record Phase(String name, Mode mode, int orders, int users, BackendBehaviour behaviour, long deadlineMillis,
			boolean measured, long lastMillis, Client client, @Nullable Flap flap) {

		/** More orders than can be placed in any time. */
		private static final int ANY_NUMBER = 10_000_000;

		public Phase {
			if (orders < 1 || users < 1) {
				throw new IllegalArgumentException(
						"A phase needs at least one order and one user: " + name + " has " + orders + " and " + users);
			}
		}

		/** A number of orders. */
		public Phase(String name, Mode mode, int orders, int users, BackendBehaviour behaviour, long deadlineMillis,
				boolean measured) {
			this(name, mode, orders, users, behaviour, deadlineMillis, measured, 0, Client.USUAL, null);
		}

		/** As many orders as so many users place in a time, one after another. */
		public static Phase lasting(long millis, String name, Mode mode, int users, BackendBehaviour behaviour) {
			return new Phase(name, mode, ANY_NUMBER, users, behaviour, millis, true, millis, Client.USUAL, null);
		}

		/** With other users. */
		public Phase with(Client other) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, other, this.flap);
		}

		/** Before a backend that flaps. */
		public Phase with(@Nullable Flap other) {
			return new Phase(this.name, this.mode, this.orders, this.users, this.behaviour, this.deadlineMillis,
					this.measured, this.lastMillis, this.client, other);
		}

		/** Whether it ends with the time and not with the orders. */
		public boolean isTimed() {
			return this.lastMillis > 0;
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
