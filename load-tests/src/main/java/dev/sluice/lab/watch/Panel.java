package dev.sluice.lab.watch;

import java.util.Locale;

/** A chart of the page and the table next to it. */
enum Panel {

	ORDERS("Orders answered", "per second", "Answers of all gateways in the last second, by mode and outcome."),

	P99("p99 of the last minute", "ms",
			"Sync and queued: time in the gateway from the order's headers to its answer. Saved: time from accepted to"
					+ " saved, for queued orders. A value is the upper bound of the histogram bucket that holds the"
					+ " percentile; the true one is at least three quarters of it. With fewer than 1,000 orders in the"
					+ " last minute, no value is shown."),

	WAITING("Orders in the system", "orders",
			"In the gateways: requests in flight. In Kafka: records behind the consumer's last fetch (its lag; known a"
					+ " minute after the start). Pending: read and not finished. In delivery: those of them that are at"
					+ " the backend."),

	DELIVERED("Deliveries", "per second",
			"Outcomes that the consumer published to Kafka, dead letters, and orders that the backend answered, in both modes."),

	CIRCUITS("Circuit breakers", "closed, half-open, open",
			"While a gateway's circuit breaker is open, it sends nothing to the backend."),

	STATUS_AGE("Age of the status", "s",
			"Age of the oldest event in the last batch when PostgreSQL stored it: how far GET /orders lags behind. It"
					+ " does not change while no events arrive."),

	CPU("CPU", "cores", "Of each service, in the last second."),

	GC("Paused by the garbage collector", "% of the time",
			"Of each service, in the last second. The collector's concurrent work counts as CPU."),

	HEAP("Heap", "MiB", "In use, garbage included."),

	THREADS("Threads", "platform threads", "Live platform threads. Virtual threads are not counted.");

	private final String title;

	private final String unit;

	private final String meaning;

	Panel(String title, String unit, String meaning) {
		this.title = title;
		this.unit = unit;
		this.meaning = meaning;
	}

	/** Name in links and data. */
	String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	String title() {
		return this.title;
	}

	String unit() {
		return this.unit;
	}

	String meaning() {
		return this.meaning;
	}

}
