package dev.sluice.sink;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import dev.sluice.sink.store.MessageStore;
import dev.sluice.sink.store.OnceStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Records the {@link SinkMetric}s. */
final class SinkMetrics {

	private final Map<SinkMetric, Counter> counters = new EnumMap<>(SinkMetric.class);

	private final Timer storeDuration;

	private final AtomicInteger inFlight;

	private final AtomicInteger queued;

	private final AtomicInteger streams;

	private final MeterRegistry registry;

	SinkMetrics(MeterRegistry registry) {
		this.registry = registry;
		for (SinkMetric counted : List.of(SinkMetric.RECEIVED, SinkMetric.STORED, SinkMetric.REPEATED,
				SinkMetric.REFUSED, SinkMetric.DROPPED, SinkMetric.ACKED)) {
			this.counters.put(counted,
					Counter.builder(counted.key()).description(counted.meaning()).register(registry));
		}
		this.inFlight = gauge(SinkMetric.IN_FLIGHT);
		this.queued = gauge(SinkMetric.QUEUED);
		this.streams = gauge(SinkMetric.STREAMS);
		this.storeDuration = Timer.builder(SinkMetric.STORE_DURATION.key())
			.description(SinkMetric.STORE_DURATION.meaning())
			.register(registry);
	}

	void received() {
		count(SinkMetric.RECEIVED, 1);
		this.inFlight.incrementAndGet();
	}

	Timer.Sample storing() {
		return Timer.start(this.registry);
	}

	/** Messages that were handed to the storage together have one duration. */
	void stored(Timer.Sample sample, List<MessageStore.Completed> results) {
		int stored = 0;
		int repeated = 0;
		for (MessageStore.Completed result : results) {
			stored += (result.outcome() == OnceStore.Outcome.STORED) ? 1 : 0;
			repeated += (result.outcome() == OnceStore.Outcome.REPEATED) ? 1 : 0;
		}
		if (stored > 0) {
			sample.stop(this.storeDuration);
			count(SinkMetric.STORED, stored);
		}
		if (repeated > 0) {
			count(SinkMetric.REPEATED, repeated);
		}
	}

	void refused() {
		count(SinkMetric.REFUSED, 1);
		left(1);
	}

	void dropped() {
		count(SinkMetric.DROPPED, 1);
		left(1);
	}

	void acked(int messages) {
		count(SinkMetric.ACKED, messages);
		left(messages);
	}

	/** Adds to the messages that wait for the storage; a negative number subtracts. */
	void queued(int more) {
		this.queued.addAndGet(more);
	}

	/** Counts messages that are no longer in process, for whatever reason. */
	void left(int messages) {
		this.inFlight.addAndGet(-messages);
	}

	void memory(LongSupplier used) {
		Gauge.builder(SinkMetric.MEMORY.key(), used, LongSupplier::getAsLong)
			.description(SinkMetric.MEMORY.meaning())
			.strongReference(true)
			.register(this.registry);
	}

	/** Adds to the open streams; a negative number subtracts. */
	void streams(int more) {
		this.streams.addAndGet(more);
	}

	private void count(SinkMetric metric, int more) {
		Objects.requireNonNull(this.counters.get(metric)).increment(more);
	}

	private AtomicInteger gauge(SinkMetric metric) {
		AtomicInteger value = new AtomicInteger();
		Gauge.builder(metric.key(), value, AtomicInteger::get).description(metric.meaning()).register(this.registry);
		return value;
	}

}
