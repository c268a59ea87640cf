package dev.sluice.gateway.core.limit;

import java.util.concurrent.Semaphore;

import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * Limits the requests that wait for the outcome of their queued order to
 * {@code sluice.max-waiters}.
 */
@Component
public final class WaiterLimit {

	private final Semaphore free;

	public WaiterLimit(GatewayProperties properties, MeterRegistry meters) {
		this.free = new Semaphore(properties.maxWaiters());
		GatewayMetric.WAITERS.gauge(meters, this.free, (free) -> properties.maxWaiters() - free.availablePermits());
	}

	/** Whether one more may wait; {@link #release} must follow if so. Does not block. */
	public boolean tryAcquire() {
		return this.free.tryAcquire();
	}

	public void release() {
		this.free.release();
	}

}
