package dev.sluice.gateway;

import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedBulkheadMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is made of libraries: the limits around the client and the queue. */
@Configuration(proxyBeanMethods = false)
class GatewayConfiguration {

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

}
