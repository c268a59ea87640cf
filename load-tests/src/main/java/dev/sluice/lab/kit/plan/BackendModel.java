package dev.sluice.lab.kit.plan;

import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;

/**
 * A backend that a comparison runs against.
 *
 * @param label its name in options and results
 * @param behaviour its behaviour
 */
public record BackendModel(String label, BackendBehaviour behaviour) {

	/** How long the backends below take for an order, in milliseconds. */
	public static final long DELAY_MILLIS = 50;

	/** Any number of orders at once. */
	public static final BackendModel UNLIMITED = of("unlimited", new Capacity.Unlimited());

	/** A fixed number of orders at once, however long a measurement lasts. */
	public static final BackendModel WORKERS = of("workers", new Capacity.Workers(20, 200));

	/**
	 * A pool of blocked threads, as large as a small server's, that grows by one a second
	 * while orders wait in a bounded queue.
	 */
	public static final BackendModel STARVED = of("starved", new Capacity.Starved(16, 1, 1_000, 200));

	/** Those of comparisons. */
	public static final List<BackendModel> ALL = List.of(UNLIMITED, WORKERS, STARVED);

	/** What it takes for an order, and how many at once. */
	public String limits() {
		return "%s, %s".formatted(this.behaviour.delay(), this.behaviour.capacity());
	}

	private static BackendModel of(String label, Capacity capacity) {
		return new BackendModel(label,
				BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(DELAY_MILLIS)).withCapacity(capacity));
	}

}
