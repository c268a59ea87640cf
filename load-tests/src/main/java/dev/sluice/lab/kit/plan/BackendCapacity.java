package dev.sluice.lab.kit.plan;

import java.util.Locale;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;

/** The backends that a comparison runs against: each takes 50 ms for an order. */
public enum BackendCapacity {

	/** Any number of orders at once. */
	UNLIMITED(new Capacity.Unlimited(), "any number of orders at once"),

	/** A fixed number of orders at once, however long a measurement lasts. */
	WORKERS(new Capacity.Workers(20, 200), "20 workers and a queue of 200 orders; 503 when it is full"),

	/**
	 * A pool of blocked threads, as large as a small server's, that grows by one a second
	 * while orders wait in a bounded queue.
	 */
	STARVED(new Capacity.Starved(16, 1, 1_000, 200),
			"16 blocked threads, one more each second while orders wait, and a queue of 200; 503 when it is full");

	/** How long the backend takes for an order, in milliseconds. */
	public static final long DELAY_MILLIS = 50;

	private final BackendBehaviour behaviour;

	private final String description;

	BackendCapacity(Capacity capacity, String description) {
		this.description = description;
		this.behaviour = BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(DELAY_MILLIS)).withCapacity(capacity);
	}

	public BackendBehaviour behaviour() {
		return this.behaviour;
	}

	/** Its parameters in words. */
	public String description() {
		return this.description;
	}

	/**
	 * The capacity of that name.
	 * @throws IllegalArgumentException if there is none
	 */
	public static BackendCapacity of(String label) {
		return valueOf(label.toUpperCase(Locale.ROOT));
	}

	/** The backend with this capacity. */
	public BackendModel model() {
		return new BackendModel(label(), this.behaviour,
				"%s ms for an order; %s".formatted(DELAY_MILLIS, this.description));
	}

	/** The name in options and results. */
	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	@Override
	public String toString() {
		return label();
	}

}
