package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** The timers of attempts and of whole deliveries. */
final class DeliveryTimers {

	private final Timer saved;

	private final Timer later;

	private final Timer throttled;

	private final Timer rejected;

	private final Timer conflict;

	private final Counter throttledAttempts;

	private final Timer acceptToSaved;

	DeliveryTimers(MeterRegistry registry) {
		this.saved = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "saved");
		this.later = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "later");
		this.throttled = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "throttled");
		this.rejected = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "rejected");
		this.conflict = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "conflict");
		this.throttledAttempts = ConsumerMetric.DELIVERY_THROTTLED.counter(registry);
		this.acceptToSaved = ConsumerMetric.ACCEPT_TO_SAVED.timer(registry);
	}

	void attempted(Attempt attempt, long elapsedNanos) {
		Timer timer = switch (attempt) {
			case Saved _ -> this.saved;
			case RetryLater _ -> this.later;
			case Throttled _ -> this.throttled;
			case Rejected _ -> this.rejected;
			case Conflict _ -> this.conflict;
		};
		if (attempt instanceof Throttled) {
			this.throttledAttempts.increment();
		}
		timer.record(elapsedNanos, TimeUnit.NANOSECONDS);
	}

	/** Ignores a negative duration, which two different clocks can give. */
	void saved(Duration sinceAccepted) {
		this.acceptToSaved.record(sinceAccepted);
	}

}
