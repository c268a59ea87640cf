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
import io.micrometer.core.instrument.MeterRegistry;

/** The timers of attempts and of whole deliveries. */
record DeliveryTimers(MeterRegistry registry) {

	void attempted(Attempt attempt, long elapsedNanos) {
		String outcome = switch (attempt) {
			case Saved _ -> "saved";
			case RetryLater _ -> "later";
			case Throttled _ -> "throttled";
			case Rejected _ -> "rejected";
			case Conflict _ -> "conflict";
		};
		ConsumerMetric.DELIVERY_DURATION.timer(this.registry, "outcome", outcome)
			.record(elapsedNanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Ignores a negative duration, which two different clocks can give. It may be longer
	 * than a number of nanoseconds can say.
	 */
	void saved(Duration sinceAccepted) {
		if (!sinceAccepted.isNegative()) {
			ConsumerMetric.ACCEPT_TO_SAVED.timer(this.registry)
				.record(TimeUnit.NANOSECONDS.convert(sinceAccepted), TimeUnit.NANOSECONDS);
		}
	}

}
