package dev.sluice.gateway.core.metrics;

import java.util.concurrent.CancellationException;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OrderMetricsTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final OrderMetrics metrics = new OrderMetrics(this.meters);

	@Test
	void countsWhatHasBegunAsInFlightOrAnswered() {
		this.metrics.begin(Mode.SYNC);
		this.metrics.begin(Mode.SYNC).end(null);
		this.metrics.begin(Mode.QUEUED).end(null);
		this.metrics.begin(Mode.QUEUED).end(new ProblemException(ProblemType.QUEUE_UNAVAILABLE, ""));
		this.metrics.begin(Mode.QUEUED).end(new IllegalStateException());

		OrderMetrics.Timing gone = this.metrics.begin(Mode.QUEUED);
		gone.end(new CancellationException());
		gone.end(null);

		assertThat(inFlight("sync")).isEqualTo(1);
		assertThat(inFlight("queued")).isZero();
		assertThat(answered("sync", "saved")).isEqualTo(1);
		assertThat(answered("queued", "accepted")).isEqualTo(1);
		assertThat(answered("queued", "queue-unavailable")).isEqualTo(1);
		assertThat(answered("queued", "internal")).isEqualTo(1);
		assertThat(answered("queued", "abandoned")).isEqualTo(1);
		assertThat(this.meters.get("sluice.order.duration").tag("mode", "queued").timer().count()).isEqualTo(4);
	}

	private double inFlight(String mode) {
		return this.meters.get("sluice.orders.in.flight").tag("mode", mode).gauge().value();
	}

	private double answered(String mode, String outcome) {
		return this.meters.get("sluice.orders").tags("mode", mode, "outcome", outcome).counter().count();
	}

}
