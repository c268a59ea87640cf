package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.UUID;

import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Looks up whether an idempotency key was used before, and for which order: first in
 * Kafka, up to its end, then in PostgreSQL, each for at most
 * {@link StatusProperties#keyLookupLimit}.
 */
@Component
public final class KeyLookup {

	private static final Logger logger = LoggerFactory.getLogger(KeyLookup.class);

	private final StatusProperties properties;

	private final RecentOrders recent;

	private final StatusRepository repository;

	private final MeterRegistry meters;

	KeyLookup(StatusProperties properties, RecentOrders recent, StatusRepository repository, MeterRegistry meters) {
		this.properties = properties;
		this.recent = recent;
		this.repository = repository;
		this.meters = meters;
	}

	/**
	 * Looks up what a key was used for.
	 * @param id the id derived from the key
	 * @param mode the mode of the order that has the key now
	 */
	public Mono<KeyUse> find(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return Mono.just(new KeyUse.Unused());
		}
		return Mono.defer(() -> {
			long startNanos = System.nanoTime();
			Duration limit = this.properties.keyLookupLimit(mode);
			return Mono.fromFuture(() -> RecentOrder.caughtUp(id, this.recent, limit))
				.flatMap((inKafka) -> this.repository.keyUse(id, limit)
					.singleOptional()
					.map((inTable) -> KeyUse.of(inKafka, inTable))
					.onErrorResume(StatusUnavailableException.class, (_) -> Mono.just(KeyUse.of(inKafka, null)))
					.onErrorResume((_) -> mode == Mode.QUEUED, (bug) -> {
						// A queued order needs only Kafka.
						logger.error("Whether order {} was accepted before cannot be read because of a bug", id, bug);
						return Mono.just(KeyUse.of(inKafka, null));
					}))
				.doOnNext((use) -> use.record(this.meters, System.nanoTime() - startNanos));
		});
	}

}
