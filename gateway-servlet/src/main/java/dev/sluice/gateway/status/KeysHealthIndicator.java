package dev.sluice.gateway.status;

import java.util.UUID;

import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.status.KeysReadiness;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Looks a new key up, as a sync order does, until {@link KeysReadiness} is content. */
@Component
final class KeysHealthIndicator implements HealthIndicator {

	private final KeysReadiness readiness;

	private final KeyLookup lookup;

	KeysHealthIndicator(KeysReadiness readiness, KeyLookup lookup) {
		this.readiness = readiness;
		this.lookup = lookup;
	}

	@Override
	public Health health() {
		if (this.readiness.begin()) {
			this.readiness.end(this.lookup.find(UUID.randomUUID(), Mode.SYNC));
		}
		return this.readiness.health();
	}

}
