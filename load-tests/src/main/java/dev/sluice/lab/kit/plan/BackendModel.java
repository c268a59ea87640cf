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
 * @param description its parameters in words
 */
public record BackendModel(String label, BackendBehaviour behaviour, String description) {

	/** How long the backends below take for an order, in milliseconds. */
	public static final long DELAY_MILLIS = 50;

	/** Any number of orders at once. */
	public static final BackendModel UNLIMITED = of("unlimited", new Capacity.Unlimited(),
			"any number of orders at once");

	/** A fixed number of orders at once, however long a measurement lasts. */
	public static final BackendModel WORKERS = of("workers", new Capacity.Workers(20, 200),
			"20 workers and a queue of 200 orders; 503 when it is full");

	/**
	 * A pool of blocked threads, as large as a small server's, that grows by one a second
	 * while orders wait in a bounded queue.
	 */
	public static final BackendModel STARVED = of("starved", new Capacity.Starved(16, 1, 1_000, 200),
			"16 blocked threads, one more each second while orders wait, and a queue of 200; 503 when it is full");

	/** Those of comparisons. */
	public static final List<BackendModel> ALL = List.of(UNLIMITED, WORKERS, STARVED);

	private static BackendModel of(String label, Capacity capacity, String description) {
		return new BackendModel(label,
				BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(DELAY_MILLIS)).withCapacity(capacity),
				"%s ms for an order; %s".formatted(DELAY_MILLIS, description));
	}

}
