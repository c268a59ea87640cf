package dev.sluice.backend;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Records the {@link BackendMetric}s. Any thread may call it. */
public final class BackendMetrics {

	private final MeterRegistry registry;

	private final Map<Outcome, Counter> ended = new EnumMap<>(Outcome.class);

	private final Timer duration;

	public BackendMetrics(MeterRegistry registry) {
		this.registry = registry;
		for (Outcome outcome : Outcome.values()) {
			this.ended.put(outcome,
					Counter.builder(BackendMetric.ENDED.key())
						.description(BackendMetric.ENDED.meaning())
						.tag(BackendMetric.ENDED.tags().getFirst(), outcome.name().toLowerCase(Locale.ROOT))
						.register(registry));
		}
		this.duration = Timer.builder(BackendMetric.DURATION.key())
			.description(BackendMetric.DURATION.meaning())
			.register(registry);
	}

	void observe(Backend backend) {
		gauge(BackendMetric.IN_FLIGHT, backend, Backend::inFlight);
		gauge(BackendMetric.WORKERS, backend, Backend::workers);
	}

	private void gauge(BackendMetric metric, Backend backend, ToDoubleFunction<Backend> value) {
		Gauge.builder(metric.key(), backend, value).description(metric.meaning()).register(this.registry);
	}

	/** Counts an order that was in flight. */
	void ended(Outcome outcome, long micros) {
		this.duration.record(micros, TimeUnit.MICROSECONDS);
		ended(outcome);
	}

	void ended(Outcome outcome) {
		Objects.requireNonNull(this.ended.get(outcome)).increment();
	}

	/** How an order request ends. */
	enum Outcome {

		SAVED, DUPLICATE, REFUSED, FAILED

	}

}
