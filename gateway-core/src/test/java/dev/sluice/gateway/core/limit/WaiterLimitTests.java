package dev.sluice.gateway.core.limit;

import java.time.Duration;

import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.order.Mode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WaiterLimitTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final WaiterLimit limit = new WaiterLimit(new GatewayProperties(Mode.SYNC, 10, Duration.ZERO,
			Duration.ofSeconds(10), 2, 0, 10, Duration.ZERO, Duration.ZERO), this.meters);

	@Test
	void letsNoMoreWaitThanAllowed() {
		assertThat(this.limit.tryAcquire()).isTrue();
		assertThat(this.limit.tryAcquire()).isTrue();
		assertThat(this.limit.tryAcquire()).isFalse();
		assertThat(waiting()).isEqualTo(2);

		this.limit.release();

		assertThat(waiting()).isEqualTo(1);
		assertThat(this.limit.tryAcquire()).isTrue();
	}

	private double waiting() {
		return this.meters.get("sluice.waiters").gauge().value();
	}

}
