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
		this.refused.http2(1);
		this.refused.http2(7);
		this.refused.http2(7);
		this.refused.http2(13);

		assertThat(count("malformed")).isEqualTo(1);
		assertThat(count("late")).isEqualTo(1);
		assertThat(count("protocol-error")).isEqualTo(1);
		assertThat(count("refused-stream")).isEqualTo(2);
		assertThat(count("http-1-1-required")).isEqualTo(1);
	}

	/** A stream may end early without an error, and a code may be unknown. */
	@Test
	void areErrorsThatHttp2Knows() {
		this.refused.http2(0);
		this.refused.http2(14);
		this.refused.http2(-1);

		assertThat(this.meters.find("sluice.requests.refused").counters()).isNotEmpty()
			.allMatch((counter) -> counter.count() == 0);
	}

	private double count(String reason) {
		return this.meters.get("sluice.requests.refused").tag("reason", reason).counter().count();
	}

}
