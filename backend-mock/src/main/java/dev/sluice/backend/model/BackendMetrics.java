package dev.sluice.backend.model;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.backend.store.Answer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Records the {@link BackendMetric}s. Any thread may call it. */
public final class BackendMetrics {

	private final MeterRegistry registry;

	private final Counter received;

	private final Counter saved;

	private final Counter duplicate;

	private final Counter refused;

	private final Counter failed;

	private final Counter connectionsOpened;

	private final Counter connectionsRefused;

	private final Timer duration;

	private final AtomicInteger inFlight = new AtomicInteger();

	public BackendMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.received = counter(BackendMetric.RECEIVED);
		this.saved = counter(BackendMetric.ENDED, "saved");
		this.duplicate = counter(BackendMetric.ENDED, "duplicate");
		this.refused = counter(BackendMetric.ENDED, "refused");
		this.failed = counter(BackendMetric.ENDED, "failed");
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
		this.refused.increment();
	}

	void ended(Answer answer, long nanos) {
		this.inFlight.decrementAndGet();
		this.duration.record(nanos, TimeUnit.NANOSECONDS);
		Counter outcome = switch (answer) {
			case Answer.Saved _ -> this.saved;
			case Answer.Repeated _ -> this.duplicate;
			case Answer.NoCapacity _, Answer.Throttled _, Answer.TooManyInFlight _ -> this.refused;
			case Answer.KeyReused _, Answer.StoreFull _, Answer.StoreUnavailable _, Answer.Failed _, Answer.Reset _,
					Answer.Abandoned _ ->
				this.failed;
			case Answer.Delayed _ -> throw new IllegalArgumentException("Not an order's answer: " + answer);
		};
		outcome.increment();
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

}
