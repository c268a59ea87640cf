package dev.sluice.lab.watch;

import java.util.Locale;

/** A chart of the page and the table beside it. */
enum Panel {

	ORDERS("Orders answered", "a second",
			"By mode and outcome, all gateways together, since the second before: as clients see them."),

	P99("p99 of the last minute", "ms",
			"Sync and queued: from an order's headers read to its answer known, in the gateway. Saved: from accepted to"
					+ " saved, of queued orders. Each is the upper bound of the histogram's bucket that the percentile"
					+ " lies in, of all orders of the last minute: the true one is at most that, and at least three"
					+ " quarters of it. With fewer than a thousand orders in that minute, none is shown."),

	WAITING("Orders on their way", "orders",
			"In the gateways: requests in process. In Kafka: records behind the consumer's last fetch (its lag; known a"
					+ " minute after its start). Pending: read and not finished. In delivery: at the backend, of"
					+ " those."),

	DELIVERED("Deliveries", "a second",
			"Outcomes that the consumer published to Kafka, dead letters, and orders that the backend answered, in both modes."),

	CIRCUITS("Circuits", "closed, on trial, open",
			"Open: the gateway treats the backend as down and sends it nothing."),

	STATUS_AGE("Age of the status", "s",
			"How old the oldest event of the last batch was when PostgreSQL had it: the lag of GET /orders. It"
					+ " does not change while no events arrive."),

	CPU("CPU", "cores", "Of each service, since the second before."),

	GC("Paused by the garbage collector", "% of the time",
			"Of each service, since the second before; the collector's concurrent work counts as CPU."),

	HEAP("Heap", "MiB", "Used, garbage included."),

	THREADS("Threads", "platform threads", "Alive; virtual threads are not among them.");

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
