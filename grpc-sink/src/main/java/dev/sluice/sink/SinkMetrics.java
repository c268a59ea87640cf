package dev.sluice.sink;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Records the {@link SinkMetric}s. */
final class SinkMetrics {

	private final Counter received;

	private final Counter stored;

	private final Counter acked;

	private final Counter repeated;

	private final Counter refused;

	private final Counter dropped;

	private final Timer storeDuration;

	private final AtomicInteger inFlight;

	private final AtomicInteger queued;

	private final AtomicInteger streams;

	private final MeterRegistry registry;

	SinkMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.received = counter(SinkMetric.RECEIVED);
		this.stored = counter(SinkMetric.STORED);
		this.acked = counter(SinkMetric.ACKED);
		this.repeated = counter(SinkMetric.REPEATED);
		this.refused = counter(SinkMetric.REFUSED);
		this.dropped = counter(SinkMetric.DROPPED);
		this.inFlight = gauge(SinkMetric.IN_FLIGHT);
		this.queued = gauge(SinkMetric.QUEUED);
		this.streams = gauge(SinkMetric.STREAMS);
		this.storeDuration = Timer.builder(SinkMetric.STORE_DURATION.key())
			.description(SinkMetric.STORE_DURATION.meaning())
			.register(registry);
	}

	void received() {
		this.received.increment();
		this.inFlight.incrementAndGet();
	}

	Timer.Sample storing() {
		return Timer.start(this.registry);
	}

	/** Messages that were handed to the storage together have one duration. */
	void stored(Timer.Sample sample, int messages, int repeats) {
		if (messages > 0) {
			sample.stop(this.storeDuration);
			this.stored.increment(messages);
		}
		if (repeats > 0) {
			this.repeated.increment(repeats);
		}
	}

	void refused() {
		this.refused.increment();
		left(1);
	}

	void dropped() {
		this.dropped.increment();
		left(1);
	}

	void acked(int messages) {
		this.acked.increment(messages);
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

	private Counter counter(SinkMetric metric) {
		return Counter.builder(metric.key()).description(metric.meaning()).register(this.registry);
	}

	private AtomicInteger gauge(SinkMetric metric) {
		AtomicInteger value = new AtomicInteger();
		Gauge.builder(metric.key(), value, AtomicInteger::get).description(metric.meaning()).register(this.registry);
		return value;
	}

}
