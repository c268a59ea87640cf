package dev.sluice.backend;

import java.util.List;

/** The backend's own metrics. */
enum BackendMetric {

	/** Outcomes: saved, duplicate, refused or failed. Unlike the audit, never reset. */
	ENDED("sluice.backend.ended", "orders", "Order requests ended", "outcome"),

	/** Without refused orders. */
	DURATION("sluice.backend.duration", "seconds", "Time from reception to answer of an order request"),

	IN_FLIGHT("sluice.backend.in.flight", "requests", "Requests in flight, including waiting ones"),

	WORKERS("sluice.backend.workers", "workers", "Workers of the capacity model; 2147483647: no limit");

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
