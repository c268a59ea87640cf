package dev.sluice.gateway.core.config;

import java.util.Map;

import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.threads.Supervisor;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Keeps the gateway's own threads running. */
@Configuration(proxyBeanMethods = false)
class ThreadsConfiguration {

	@Bean
	Supervisor supervisor(MeterRegistry registry) {
		return new Supervisor(
				(thread) -> GatewayMetric.THREAD_FAILURES.counter(registry, "thread", thread).increment());
	}

	/** Not part of readiness: the gateway answers without them. */
	@Bean
	HealthIndicator threadsHealthIndicator(Supervisor supervisor) {
		return () -> {
			Map<String, String> failing = supervisor.failing();
			return (failing.isEmpty() ? Health.up() : Health.down()).withDetails(failing).build();
		};
	}

}
