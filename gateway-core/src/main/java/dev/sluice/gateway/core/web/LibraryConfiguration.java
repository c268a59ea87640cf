package dev.sluice.gateway.core.web;

import java.util.concurrent.Semaphore;

import com.github.benmanes.caffeine.cache.Ticker;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.threads.Supervisor;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedBulkheadMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.support.ProducerListener;

/** The beans that both gateways use: limits, their metrics, the clock, the supervisor. */
@Configuration(proxyBeanMethods = false)
class LibraryConfiguration {

	/**
	 * Boot's own listener logs an error, with the payload, for each order that fails; the
	 * circuit's metrics show an outage.
	 */
	@Bean
	ProducerListener<Object, Object> silentProducerListener() {
		return new ProducerListener<>() {
		};
	}

	@Bean
	Ticker ticker() {
		return Ticker.systemTicker();
	}

	@Bean
	BulkheadRegistry bulkheads() {
		return BulkheadRegistry.ofDefaults();
	}

	@Bean
	CircuitBreakerRegistry circuits() {
		return CircuitBreakerRegistry.ofDefaults();
	}

	@Bean
	MeterBinder bulkheadMetrics(BulkheadRegistry bulkheads) {
		return TaggedBulkheadMetrics.ofBulkheadRegistry(bulkheads);
	}

	@Bean
	MeterBinder circuitMetrics(CircuitBreakerRegistry circuits) {
		return TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(circuits);
	}

	/** One permit for each request that may wait for the outcome of its queued order. */
	@Bean
	Semaphore waiting(GatewayProperties properties, MeterRegistry registry) {
		Semaphore free = new Semaphore(properties.maxWaiters());
		GatewayMetric.WAITERS.gauge(registry, free, (_) -> properties.maxWaiters() - free.availablePermits());
		return free;
	}

	/** Keeps the gateway's own threads running. */
	@Bean
	Supervisor threads(MeterRegistry registry) {
		return new Supervisor(
				(thread) -> GatewayMetric.THREAD_FAILURES.counter(registry, "thread", thread).increment());
	}

}
