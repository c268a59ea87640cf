package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.queue.RecentOrders;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.RecentOrder;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Looks up whether an idempotency key was used before, and for which order: first in
 * Kafka, up to its end, then in PostgreSQL, each for at most
 * {@link StatusProperties#keyLookupLimit}. Holds the calling thread.
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
	public KeyUse find(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return new KeyUse.Unused();
		}
		long startNanos = System.nanoTime();
		Duration limit = this.properties.keyLookupLimit(mode);
		RecentOrder inKafka = RecentOrder.caughtUp(id, this.recent, limit).join();
		KeyUse use = KeyUse.of(inKafka, inTable(id, mode, limit));
		use.record(this.meters, System.nanoTime() - startNanos);
		return use;
	}

	private @Nullable Optional<KeyUse.Used> inTable(UUID id, Mode mode, Duration limit) {
		try {
			return this.repository.keyUse(id, limit);
		}
		catch (StatusUnavailableException _) {
			return null;
		}
		catch (RuntimeException ex) {
			if (mode == Mode.SYNC) {
				throw ex;
			}
			// A queued order needs only Kafka.
			logger.error("Whether order {} was accepted before cannot be read because of a bug", id, ex);
			return null;
		}
	}

}
