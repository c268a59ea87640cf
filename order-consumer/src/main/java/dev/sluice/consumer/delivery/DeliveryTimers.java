package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.consumer.delivery.Attempt.Rejected;
import dev.sluice.consumer.delivery.Attempt.RetryLater;
import dev.sluice.consumer.delivery.Attempt.Saved;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** How long deliveries take. */
final class DeliveryTimers {

	private final Timer saved;

	private final Timer later;

	private final Timer rejected;

	private final Timer acceptToSaved;

	DeliveryTimers(MeterRegistry registry) {
		this.saved = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "saved");
		this.later = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "later");
		this.rejected = ConsumerMetric.DELIVERY_DURATION.timer(registry, "outcome", "rejected");
		this.acceptToSaved = ConsumerMetric.ACCEPT_TO_SAVED.timer(registry);
	}

	void attempted(Attempt attempt, long elapsedNanos) {
		Timer timer = switch (attempt) {
			case Saved ignored -> this.saved;
			case RetryLater ignored -> this.later;
			case Rejected ignored -> this.rejected;
		};
		timer.record(elapsedNanos, TimeUnit.NANOSECONDS);
	}

	/** A negative duration, which clocks that differ may give, is not recorded. */
	void saved(Duration sinceAccepted) {
		this.acceptToSaved.record(sinceAccepted);
	}

}
