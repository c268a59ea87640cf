package dev.sluice.backend.model;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Records the {@link BackendMetric}s. Any thread may call it. */
public final class BackendMetrics {

	private final MeterRegistry registry;

	private final Counter received;

	private final Map<Outcome, Counter> ended = new EnumMap<>(Outcome.class);

	private final Counter connectionsOpened;

	private final Counter connectionsRefused;

	private final Timer duration;

	private final AtomicInteger inFlight = new AtomicInteger();

	public BackendMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.received = counter(BackendMetric.RECEIVED);
		for (Outcome outcome : Outcome.values()) {
			this.ended.put(outcome, counter(BackendMetric.ENDED, outcome.name().toLowerCase(Locale.ROOT)));
		}
		this.connectionsOpened = counter(BackendMetric.CONNECTIONS, "opened");
		this.connectionsRefused = counter(BackendMetric.CONNECTIONS, "refused");
		this.duration = Timer.builder(BackendMetric.DURATION.key())
			.description(BackendMetric.DURATION.meaning())
			.register(registry);
		Gauge.builder(BackendMetric.IN_FLIGHT.key(), this.inFlight, AtomicInteger::get)
			.description(BackendMetric.IN_FLIGHT.meaning())
			.register(registry);
	}

	void observe(Backend backend) {
		Gauge.builder(BackendMetric.WAITING.key(), backend, Backend::waiting)
			.description(BackendMetric.WAITING.meaning())
			.register(this.registry);
		Gauge.builder(BackendMetric.WORKERS.key(), backend, Backend::workers)
			.description(BackendMetric.WORKERS.meaning())
			.register(this.registry);
	}

	void received() {
		this.received.increment();
		this.inFlight.incrementAndGet();
	}

	void refused() {
		this.received.increment();
		ended(Outcome.REFUSED);
	}

	void ended(Outcome outcome, long nanos) {
		this.inFlight.decrementAndGet();
		this.duration.record(nanos, TimeUnit.NANOSECONDS);
		ended(outcome);
	}

	private void ended(Outcome outcome) {
		Objects.requireNonNull(this.ended.get(outcome)).increment();
	}

	void connection(boolean admitted) {
		(admitted ? this.connectionsOpened : this.connectionsRefused).increment();
	}

	private Counter counter(BackendMetric metric) {
		return Counter.builder(metric.key()).description(metric.meaning()).register(this.registry);
	}

	private Counter counter(BackendMetric metric, String tagValue) {
		return Counter.builder(metric.key())
			.description(metric.meaning())
			.tag(metric.tags().getFirst(), tagValue)
			.register(this.registry);
	}

	/** How an order request ends. */
	enum Outcome {

		SAVED, DUPLICATE, REFUSED, FAILED

	}

}
