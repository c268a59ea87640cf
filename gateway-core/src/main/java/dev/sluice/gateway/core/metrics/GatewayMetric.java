package dev.sluice.gateway.core.metrics;

import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** The gateway's own metrics. Libraries add theirs. */
public enum GatewayMetric {

	/**
	 * Outcome: {@code saved}, {@code accepted}, {@code abandoned} (the client has
	 * disconnected), or the problem's name.
	 */
	ORDERS("sluice.orders", "orders", "mode, outcome", "Orders answered"),

	ORDER_DURATION("sluice.order.duration", "seconds", "mode",
			"Time from reading an order's headers to knowing its answer"),

	ORDERS_IN_FLIGHT("sluice.orders.in.flight", "orders", "mode", "Orders being processed"),

	REQUESTS_IN_PROGRESS("sluice.requests.in.progress", "requests", "", "Requests of the API being processed"),

	REQUESTS_RECEIVING("sluice.requests.receiving", "requests", "",
			"Requests of the API waiting for the rest of their body"),

	REQUESTS_LIMIT("sluice.requests.limit", "requests", "",
			"Maximum number of API requests being processed: sluice.max-in-progress, less while the cores cannot keep up"),

	SCHEDULING_DELAY("sluice.scheduling.delay", "seconds", "",
			"Time that a task has waited for a thread that processes requests; 0 if it is not limited"),

	/**
	 * Reason: {@code malformed} (400), {@code too-large} (413), {@code late} (408),
	 * {@code overloaded} (503 by {@link #REQUESTS_LIMIT} or the memory for bodies), or
	 * {@code shutting-down} (503). These requests are in no metric of HTTP or of orders.
	 */
	REQUESTS_REFUSED("sluice.requests.refused", "requests", "reason", "Requests refused whatever they asked for"),

	BACKEND_CALLS("sluice.backend.calls", "calls", "", "Calls to the backend in flight"),

	BACKEND_LIMIT("sluice.backend.calls.limit", "calls", "",
			"Maximum number of calls to the backend in flight: backend.max-concurrent, less while the backend is busy"),

	KEYS_IN_PROGRESS("sluice.keys.in.progress", "keys", "", "Idempotency keys whose request is being processed"),

	/** Outcome: {@code known}, {@code unknown} or {@code unanswered}. */
	KEY_LOOKUP("sluice.key.lookup", "seconds", "outcome",
			"Time to ask Kafka and PostgreSQL whether an idempotency key was used before"),

	WAITERS("sluice.waiters", "requests", "", "Requests waiting for their queued order to be saved"),

	RECENT_ORDERS("sluice.recent.orders", "orders", "",
			"Orders in Kafka that the status projection has not reached yet"),

	RECENT_LAG("sluice.recent.lag", "records", "", "Records in Kafka that the gateway has not read yet"),

	OUTCOMES_LOST("sluice.outcomes.lost", "outcomes", "",
			"Outcomes of synchronous orders that could not be published to Kafka"),

	THREAD_FAILURES("sluice.thread.failures", "failures", "thread",
			"Unexpected exceptions in a thread that goes on after each");

	private final String metricName;

	private final String unit;

	private final String tags;

	private final String meaning;

	GatewayMetric(String metricName, String unit, String tags, String meaning) {
		this.metricName = metricName;
		this.unit = unit;
		this.tags = tags;
		this.meaning = meaning;
	}

	public String metricName() {
		return this.metricName;
	}

	public String unit() {
		return this.unit;
	}

	public String tags() {
		return this.tags;
	}

	public String meaning() {
		return this.meaning;
	}

	public Counter counter(MeterRegistry registry, String... tags) {
		return Counter.builder(this.metricName).description(this.meaning).tags(tags).register(registry);
	}

	public Timer timer(MeterRegistry registry, String... tags) {
		return Timer.builder(this.metricName).description(this.meaning).tags(tags).register(registry);
	}

	public <T> void gauge(MeterRegistry registry, T source, ToDoubleFunction<T> value, String... tags) {
		Gauge.builder(this.metricName, source, value)
			.description(this.meaning)
			.tags(tags)
			.strongReference(true)
			.register(registry);
	}

}
