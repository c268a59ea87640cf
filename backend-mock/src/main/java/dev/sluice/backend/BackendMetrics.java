package dev.sluice.backend;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Records the {@link Metric}s. Any thread may call it. */
final class BackendMetrics {

	private final Map<Outcome, Counter> ended = new EnumMap<>(Outcome.class);

	private final Timer duration;

	BackendMetrics(MeterRegistry registry, Backend backend) {
		for (Outcome outcome : Outcome.values()) {
			this.ended.put(outcome,
					Counter.builder(Metric.ENDED.key)
						.description(Metric.ENDED.meaning)
						.tag(Metric.ENDED.tags.getFirst(), outcome.name().toLowerCase(Locale.ROOT))
						.register(registry));
		}
		this.duration = Timer.builder(Metric.DURATION.key).description(Metric.DURATION.meaning).register(registry);
		gauge(registry, Metric.IN_FLIGHT, backend, Backend::inFlight);
		gauge(registry, Metric.WORKERS, backend, Backend::workers);
	}

	private static void gauge(MeterRegistry registry, Metric metric, Backend backend, ToDoubleFunction<Backend> value) {
		Gauge.builder(metric.key, backend, value).description(metric.meaning).register(registry);
	}

	/**
	 * Counts an order that was in flight.
	 * @param micros from its reception to the answer
	 */
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

	/** The backend's own metrics. */
	enum Metric {

		/**
		 * Outcomes: saved, duplicate, refused or failed. Unlike the audit, never reset.
		 */
		ENDED("sluice.backend.ended", "orders", "Order requests ended", "outcome"),

		/** Without refused orders. */
		DURATION("sluice.backend.duration", "seconds", "Time from reception to answer of an order request"),

		IN_FLIGHT("sluice.backend.in.flight", "requests", "Requests in flight, including waiting ones"),

		WORKERS("sluice.backend.workers", "workers", "Workers of the capacity model; 2147483647: no limit");

		final String key;

		final String unit;

		final String meaning;

		final List<String> tags;

		Metric(String key, String unit, String meaning, String... tags) {
			this.key = key;
			this.unit = unit;
			this.meaning = meaning;
			this.tags = List.of(tags);
		}

	}

}
