package dev.sluice.gateway.metrics;

import java.util.concurrent.CancellationException;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.order.Way;
import dev.sluice.gateway.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OrderMetricsTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final OrderMetrics metrics = new OrderMetrics(this.meters);

	@Test
	void countsWhatHasBegunAsInFlightOrAnswered() {
		this.metrics.begin(Way.SYNC);
		this.metrics.begin(Way.SYNC).end(null);
		this.metrics.begin(Way.QUEUED).end(null);
		this.metrics.begin(Way.QUEUED).end(new ProblemException(ProblemType.QUEUE_UNAVAILABLE, ""));
		this.metrics.begin(Way.QUEUED).end(new IllegalStateException());

		OrderMetrics.Timing gone = this.metrics.begin(Way.QUEUED);
		gone.end(new CancellationException());
		gone.end(null);

		assertThat(inFlight("sync")).isEqualTo(1);
		assertThat(inFlight("queued")).isZero();
		assertThat(answered("sync", "saved")).isEqualTo(1);
		assertThat(answered("queued", "accepted")).isEqualTo(1);
		assertThat(answered("queued", "queue-unavailable")).isEqualTo(1);
		assertThat(answered("queued", "internal")).isEqualTo(1);
		assertThat(answered("queued", "abandoned")).isEqualTo(1);
		assertThat(this.meters.get("sluice.order.duration").tag("way", "queued").timer().count()).isEqualTo(4);
	}

	private double inFlight(String way) {
		return this.meters.get("sluice.orders.in.flight").tag("way", way).gauge().value();
	}

	private double answered(String way, String outcome) {
		return this.meters.get("sluice.orders").tags("way", way, "outcome", outcome).counter().count();
	}

}
