package dev.sluice.threads;

import java.util.Map;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Down while a thread fails. It belongs to neither liveness nor readiness: the thread
 * goes on by itself, and the service answers without it.
 *
 * @param supervisor of the service's threads
 */
public record ThreadsHealthIndicator(Supervisor supervisor) implements HealthIndicator {

	@Override
	public Health health() {
		Map<String, String> failing = this.supervisor.failing();
		return (failing.isEmpty() ? Health.up() : Health.down()).withDetails(failing).build();
	}

}
