package dev.sluice.gateway.status;

import java.util.UUID;

import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.status.KeyUse;
import dev.sluice.gateway.core.status.KeysReadiness;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** Looks a new key up, as a sync order does, until {@link KeysReadiness} is content. */
@Component
final class KeysHealthIndicator implements ReactiveHealthIndicator {

	private final KeysReadiness readiness;

	private final KeyLookup lookup;

	KeysHealthIndicator(KeysReadiness readiness, KeyLookup lookup) {
		this.readiness = readiness;
		this.lookup = lookup;
	}

	@Override
	public Mono<Health> health() {
		Mono<KeyUse> use = this.readiness.begin() ? this.lookup.find(UUID.randomUUID(), Mode.SYNC) : Mono.empty();
		return use.doOnNext(this.readiness::end).then(Mono.fromSupplier(this.readiness::health));
	}

}
