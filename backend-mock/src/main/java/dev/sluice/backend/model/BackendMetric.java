package dev.sluice.backend.model;

import java.util.List;

/** The backend's own metrics. */
enum BackendMetric {

	/** Orders received. Unlike the audit, never reset. */
	RECEIVED("sluice.backend.received", "orders", "Order requests received"),

	/** Orders ended, by outcome: saved, duplicate, refused or failed. */
	ENDED("sluice.backend.ended", "orders", "Order requests ended", "outcome"),

	/**
	 * From reception to answer, including the time in the queue; without refused orders.
	 */
	DURATION("sluice.backend.duration", "seconds", "Time from reception to answer of an order request"),

	/** Orders in flight now, including waiting ones. */
	IN_FLIGHT("sluice.backend.in.flight", "orders", "Order requests in flight, including waiting ones"),

	/** Requests waiting for a place now. */
	WAITING("sluice.backend.waiting", "requests", "Requests waiting for a worker"),

	/** Workers of the capacity model now; 2,147,483,647 if it has no limit. */
	WORKERS("sluice.backend.workers", "workers", "Workers of the capacity model; 2147483647: no limit"),

	/** TCP connections, by outcome: opened or refused. */
	CONNECTIONS("sluice.backend.connections", "connections", "TCP connections accepted", "outcome");

	private final String key;

	private final String unit;

	private final String meaning;

	private final List<String> tags;

	BackendMetric(String key, String unit, String meaning, String... tags) {
		this.key = key;
		this.unit = unit;
		this.meaning = meaning;
		this.tags = List.of(tags);
	}

	String key() {
		return this.key;
	}

	String unit() {
		return this.unit;
	}

	String meaning() {
		return this.meaning;
	}

	List<String> tags() {
		return this.tags;
	}

}
