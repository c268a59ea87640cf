package dev.sluice.consumer;

import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The consumer's own metrics. Libraries add theirs: the lag in records is
 * {@code kafka.consumer.fetch.manager.records.lag}.
 */
public enum ConsumerMetric {

	DELIVERY_IN_FLIGHT("sluice.delivery.in.flight", "orders", "", "Orders being delivered now"),

	DELIVERY_LIMIT("sluice.delivery.limit", "orders", "",
			"Limit of concurrent deliveries: at most delivery.concurrency, less until the backend has shown that it can take more, and while it throttles or is overloaded"),

	DELIVERY_PENDING("sluice.delivery.pending", "orders", "", "Records read and not finished"),

	DELIVERY_PENDING_LIMIT("sluice.delivery.pending.limit", "orders", "",
			"Maximum number of records read and not finished: delivery.max-pending"),

	DELIVERY_OUTCOMES("sluice.delivery.outcomes", "outcomes", "outcome",
			"Outcomes acknowledged by Kafka: saved, retrying or failed"),

	DELIVERY_DURATION("sluice.delivery.duration", "seconds", "outcome",
			"Duration of an attempt, until the backend answers or the deadline passes: saved, later, throttled (429, or 503 with Retry-After), rejected or conflict"),

	ACCEPT_TO_SAVED("sluice.accept.to.saved", "seconds", "",
			"Time from the gateway's acceptance to the backend's save, by the clocks of the gateway and the consumer"),

	DEAD_LETTERS("sluice.dead.letters", "records", "kind",
			"Dead letters acknowledged by Kafka: unreadable, rejected, exhausted or conflict"),

	CIRCUIT_OPEN("sluice.circuit.open", "boolean", "", "1 while the circuit breaker is open"),

	SINK_IN_FLIGHT("sluice.delivery.sink.in.flight", "messages", "",
			"Orders sent to the sink and not acknowledged. The four metrics of the sink exist only with delivery.target=grpc"),

	SINK_WINDOW("sluice.delivery.sink.window", "messages", "", "Maximum number of orders in flight to the sink"),

	SINK_SPOOL("sluice.delivery.sink.spool", "bytes", "", "Size of the orders that the sink does not have yet"),

	SINK_OLDEST("sluice.delivery.sink.oldest", "seconds", "",
			"Age of the oldest order that the sink does not have yet"),

	THREAD_FAILURES("sluice.thread.failures", "failures", "thread",
			"Unexpected exceptions in a thread that goes on after each"),

	PROJECTION_BATCH("sluice.projection.batch", "events", "", "Events merged into PostgreSQL by one statement"),

	PROJECTION_DURATION("sluice.projection.duration", "seconds", "", "Duration of a statement of the projection"),

	PROJECTION_AGE("sluice.projection.age", "seconds", "",
			"Age of the oldest event of the last batch when it was written: how far the status lags behind"),

	LOST_RECORDS("sluice.lost.records", "records", "reader, topic",
			"Records deleted before the delivery or the projection read them"),

	PROJECTION_SKIPPED("sluice.projection.skipped", "records", "topic",
			"Records that the projection skipped because it could not read them"),

	PROJECTION_REFUSED("sluice.projection.refused", "orders", "",
			"Statuses that PostgreSQL refused for their data; the log names the orders");

	private final String metricName;

	private final String unit;

	private final String tags;

	private final String meaning;

	ConsumerMetric(String metricName, String unit, String tags, String meaning) {
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

	public DistributionSummary summary(MeterRegistry registry, String... tags) {
		return DistributionSummary.builder(this.metricName).description(this.meaning).tags(tags).register(registry);
	}

	public <T> void gauge(MeterRegistry registry, T source, ToDoubleFunction<T> value, String... tags) {
		Gauge.builder(this.metricName, source, value)
			.description(this.meaning)
			.tags(tags)
			.strongReference(true)
			.register(registry);
	}

}
