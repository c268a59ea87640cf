package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.RecentOrder;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Whether an idempotency key was used before, and for which order. Both modes ask the
 * same: first Kafka, up to its end, then PostgreSQL, each for at most half of
 * {@code status.key-lookup-timeout}. {@code @ThreadSafe}.
 */
@Component
public final class KeyLookup {

	private static final Logger logger = LoggerFactory.getLogger(KeyLookup.class);

	private final RecentOrders accepted;

	private final StatusRepository table;

	private final StatusProperties properties;

	private final StatusGuard guard;

	private final MeterRegistry meters;

	public KeyLookup(StatusProperties properties, RecentOrders accepted, StatusRepository table, StatusGuard guard,
			MeterRegistry meters) {
		this.accepted = accepted;
		this.table = table;
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
	public Mono<KeyUse> find(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return Mono.just(new KeyUse.Unused());
		}
		Duration limit = limit(mode);
		return Mono.defer(() -> {
			long startNanos = System.nanoTime();
			return Mono.fromFuture(() -> this.accepted.caughtUp(limit)).flatMap((reading) -> {
				Fingerprint inKafka = RecentOrder.of(id, this.accepted).fingerprint();
				return this.guard
					.ask(limit, this.table.fingerprint(id).map(Optional::of).defaultIfEmpty(Optional.empty()))
					.map((inTable) -> answered(reading, inKafka, inTable, startNanos))
					.onErrorResume((failure) -> {
						logger.debug("Whether order {} was accepted before cannot be read", id, failure);
						return Mono.just(answered(reading, inKafka, null, startNanos));
					});
			});
		});
	}

	private KeyUse answered(Reading reading, @Nullable Fingerprint inKafka, @Nullable Optional<Fingerprint> inTable,
			long startNanos) {
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
