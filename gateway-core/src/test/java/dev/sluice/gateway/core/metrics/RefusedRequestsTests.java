package dev.sluice.gateway.core.metrics;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RefusedRequestsTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RefusedRequests refused = new RefusedRequests(this.meters);

	@Test
	void areCountedByTheirReason() {
		this.refused.malformed();
		this.refused.late();
		this.refused.late();

		assertThat(count("malformed")).isEqualTo(1);
		assertThat(count("late")).isEqualTo(2);
		assertThat(count("overloaded")).isZero();
	}

	private double count(String reason) {
		return this.meters.get("sluice.requests.refused").tag("reason", reason).counter().count();
	}

}
