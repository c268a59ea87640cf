package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.web.ServletProperties;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Whether an idempotency key was used before, and for which order. Both modes ask the
 * same: first Kafka, up to its end, then PostgreSQL, each for at most half of
 * {@code status.key-lookup-timeout}.
 * <p>
 * With {@code platform} and {@code virtual} threads the request's thread waits.
 * {@code @ThreadSafe}.
 */
@Component
public final class KeyLookup {

	private static final Logger logger = LoggerFactory.getLogger(KeyLookup.class);

	private final RecentOrders accepted;

	private final StatusRepository table;

	private final ServletProperties.Threads threads;

	private final StatusProperties properties;

	private final StatusGuard guard;

	private final MeterRegistry meters;

	public KeyLookup(StatusProperties properties, ServletProperties servlet, RecentOrders accepted,
			StatusRepository table, StatusGuard guard, MeterRegistry meters) {
		this.accepted = accepted;
		this.table = table;
		this.threads = servlet.threads();
		this.properties = properties;
		this.guard = guard;
		this.meters = meters;
	}

	/**
	 * Looks up what a key was used for.
	 * @param id the id made of it
	 * @param mode the mode of the order that has it now
	 * @return what is known; does not fail
	 */
	public CompletionStage<KeyUse> find(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return CompletableFuture.completedFuture(new KeyUse.Unused());
		}
		Duration limit = limit(mode);
		long startNanos = System.nanoTime();
		return this.threads.await(this.accepted.caughtUp(limit)).thenCompose((reading) -> {
			Fingerprint inKafka = RecentOrder.of(id, this.accepted).fingerprint();
			return this.guard.askHere(limit, () -> this.table.fingerprint(id))
				.handle((inTable, failure) -> answered(id, reading, inKafka, inTable, failure, startNanos));
		});
	}

	private KeyUse answered(UUID id, Reading reading, @Nullable Fingerprint inKafka,
			@Nullable Optional<Fingerprint> inTable, @Nullable Throwable failure, long startNanos) {
		if (failure != null) {
			logger.debug("Whether order {} was accepted before cannot be read", id, failure);
		}
		KeyUse use = KeyUse.of(reading, inKafka, inTable);
		GatewayMetric.KEY_LOOKUP.timer(this.meters, "outcome", use.outcome())
			.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
		return use;
	}

	/**
	 * For Kafka, and again for PostgreSQL. A queued order is accepted if the time is
	 * over; a synchronous one is refused, and waits longer.
	 */
	private Duration limit(Mode mode) {
		return switch (mode) {
			case QUEUED -> this.properties.keyLookupTimeout().dividedBy(2);
			case SYNC -> this.properties.timeout();
		};
	}

}
